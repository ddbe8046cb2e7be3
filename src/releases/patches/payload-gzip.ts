import type { FileHandle } from "node:fs/promises";
import { Deflate } from "pako/lib/deflate.js";

/** As `tar -czf` packs. */
const level = 6;

/** Bytes of each piece that is written. */
const pieceBytes = 65_536;

/**
 * Packs a tar archive, piece by piece, exactly as zlib 1.x at level 6 does, with its own header (no name, no time): by a
 * port of it in JavaScript, because one byte that differs is another hash. The zlib of Node is Chromium's, which packs the
 * same content differently, from version to version too. `write` gets pieces whose memory is not used again.
 */
export function createPayloadGzip(write: (piece: Uint8Array) => void) {
  const packer = new Deflate({ level, gzip: true, chunkSize: pieceBytes });
  packer.onData = write;
  return {
    push: (piece: Uint8Array): void => void packer.push(piece, false),
    /** Writes the rest. */
    end: (): void => void packer.push(new Uint8Array(0), true),
  };
}

/** Packs the pieces of an archive into a file, as they come. */
export async function packInto(out: FileHandle, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const waiting: Uint8Array[] = [];
  const gzip = createPayloadGzip((piece) => void waiting.push(piece));
  const write = async (): Promise<void> => {
    for (const piece of waiting.splice(0)) await out.writeFile(piece);
  };
  for await (const piece of pieces) {
    gzip.push(piece);
    await write();
  }
  gzip.end();
  await write();
}
