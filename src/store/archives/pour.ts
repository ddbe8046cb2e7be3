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

/** Settles when the sink has taken most of what it was given, or was destroyed. */
export function drained(sink: Writable): Promise<void> {
  if (!sink.writableNeedDrain || sink.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      sink.off("drain", done).off("close", done);
      resolve();
    };
    sink.on("drain", done).on("close", done);
  });
}
