import { createParser } from "eventsource-parser";
import type { StreamId } from "../../contract/types.ts";
import { type CallInput, exchange } from "./call.ts";
import { heard, lost } from "./connection.ts";
import { Cancelled, ProblemError } from "./problem.ts";

/** One message of a stream (WHATWG HTML §9.2). */
export interface StreamMessage {
  /** Its kind; null: none was named. */
  readonly event: string | null;
  readonly id: string | null;
  /** Parsed JSON, of the contract's schema for this stream and kind. */
  readonly data: unknown;
}

/** Milliseconds for the next sign of life, of which a stream has one every 15 s: a device without power ends none. */
const silenceMilliseconds = 25_000;

/** Seconds until a stream that ended is taken up again. */
const comeBackSeconds = 1;

/** Follows a stream until the signal ends it, past breaks. Refusals go to `onRefusal`, ending it. `lastId`: its start. */
export async function follow<Id extends StreamId>(
  id: Id,
  input: CallInput<Id>,
  signal: AbortSignal,
  onMessage: (message: StreamMessage) => void,
  onRefusal: (error: ProblemError) => void = () => undefined,
  lastId: string | null = null,
): Promise<void> {
  let last = lastId;
  while (!signal.aborted) {
    try {
      const headers: Record<string, string> = last === null ? {} : { "last-event-id": last };
      const response = await exchange(id, input, { signal, headers });
      await readMessages(response, (message) => {
        last = message.id ?? last;
        onMessage(message);
      });
    } catch (error) {
      if (signal.aborted || error instanceof Cancelled) return;
      if (error instanceof ProblemError && error.problem.code !== "rate_limited") return onRefusal(error);
      if (!(error instanceof ProblemError)) await lost();
    }
    await new Promise((resolve) => setTimeout(resolve, comeBackSeconds * 1_000));
  }
}

async function readMessages(response: Response, onMessage: (message: StreamMessage) => void): Promise<void> {
  const parser = createParser({
    onEvent: ({ event = null, id = null, data }) => onMessage({ event, id, data: JSON.parse(data) }),
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const piece = await (reader && nextPiece(reader, silenceMilliseconds));
    if (piece === undefined || piece.done) return;
    heard();
    parser.feed(piece.value);
  }
}

/** The next piece. Throws, and gives the connection up, when none comes within this time. */
export async function nextPiece<T>(
  reader: ReadableStreamDefaultReader<T>,
  milliseconds: number,
): Promise<ReadableStreamReadResult<T>> {
  const silence = AbortSignal.timeout(milliseconds);
  const next = reader.read();
  await Promise.race([next, new Promise((resolve) => silence.addEventListener("abort", resolve))]);
  if (!silence.aborted) return next;
  void reader.cancel().catch(() => undefined);
  throw silence.reason;
}
