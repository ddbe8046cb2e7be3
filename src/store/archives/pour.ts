import type { Writable } from "node:stream";

/**
 * Writes a source to a sink as fast as that takes it, and ends it. A sink that is destroyed meanwhile ends the source; why
 * it was is its own to say. Throws what the source throws, and leaves the sink open then.
 */
export async function pour(source: AsyncIterable<Uint8Array>, sink: Writable): Promise<void> {
  for await (const piece of source) {
    if (sink.destroyed) return;
    if (!sink.write(piece)) await drained(sink);
  }
  sink.end();
}

function drained(sink: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      sink.off("drain", done);
      sink.off("close", done);
      resolve();
    };
    sink.once("drain", done);
    sink.once("close", done);
    if (sink.destroyed) done();
  });
}
