/** Milliseconds for the next piece of an answer: a device without power says nothing at all, and ends nothing. */
export const silenceMilliseconds = 25_000;

/** UTF-16 units of the longest text that is taken: none of the agent's has a tenth of it. */
const longestText = 2 ** 24;

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
    if (text.length > longestText) throw new RangeError("no end of the answer");
  }
  return text;
}
