import { Unreachable } from "./problem.ts";

/** Milliseconds for the next piece of an answer: a device without power says nothing at all, and ends nothing. */
const silenceMilliseconds = 25_000;

/** The longest body that is taken, in bytes or UTF-16 units: no text of the agent's is a tenth of it, and no file longer. */
const most = { text: 2 ** 24, file: 2 ** 30 };

/** The pieces of a body as they come. Throws, and gives the connection up, where the next one takes too long. */
export async function* piecesOf<T>(body: ReadableStream<T>, milliseconds: number): AsyncGenerator<T> {
  const reader = body.getReader();
  try {
    for (;;) {
      const silence = AbortSignal.timeout(milliseconds);
      const next = reader.read();
      await Promise.race([next, new Promise((resolve) => silence.addEventListener("abort", resolve))]);
      silence.throwIfAborted();
      const { done, value } = await next;
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

/** The text of an answer as it comes. */
export async function* textPieces({ body }: Response): AsyncGenerator<string> {
  if (body !== null) yield* piecesOf(body.pipeThrough(new TextDecoderStream()), silenceMilliseconds);
}

/** The whole text. Throws where it ends early, or is longer than any of the agent's. */
export async function textOf(response: Response): Promise<string> {
  let text = "";
  for await (const piece of textPieces(response)) {
    text += piece;
    if (text.length > most.text) throw new RangeError("no end of the answer");
  }
  return text;
}

/** A whole file; `onBytes` hears how many bytes of it are here. Throws Unreachable where it ends early. */
export async function fileOf(
  { body, headers }: Response,
  onBytes: (bytes: number) => void = () => undefined,
): Promise<Blob> {
  const pieces: BlobPart[] = [];
  let bytes = 0;
  try {
    for await (const piece of piecesOf(body ?? new Blob().stream(), silenceMilliseconds)) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > most.file) throw new RangeError("no end of the file");
      onBytes(bytes);
    }
  } catch (error) {
    throw new Unreachable(false, false, error);
  }
  return new Blob(pieces, { type: headers.get("content-type") ?? "" });
}
