import type { StreamId } from "../../contract/types.ts";
import { textPieces } from "./body.ts";
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

/** UTF-16 units, of which the agent's longest message has a tenth. */
const longestMessage = 2 ** 22;

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

/** The agent's messages: a line each for id, kind and data, and a blank one (http/wire/streams.ts). */
export async function readMessages(
  response: Response,
  onMessage: (message: StreamMessage) => void,
): Promise<void> {
  let rest = "";
  for await (const piece of textPieces(response)) {
    heard();
    const blocks = (rest + piece).split("\n\n");
    rest = blocks.pop() ?? "";
    if (rest.length > longestMessage) throw new RangeError("no end of the message");
    for (const block of blocks) {
      // JSON may hold U+2028, at which a dot ends.
      const of = (name: string) => new RegExp(`(?:^|\n)${name}: ([^\n]*)`).exec(block)?.[1] ?? null;
      const data = of("data");
      if (data !== null) onMessage({ event: of("event"), id: of("id"), data: JSON.parse(data) });
    }
  }
}
