import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";

/** Bytes that are unpacked at a time. */
const pieceBytes = 65_536;

/** The pieces of the archive in a payload. Throws what zlib throws for a file that gzip did not pack. */
export async function* unpackedPieces(path: string): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: pieceBytes });
  const file = createReadStream(path);
  file.on("error", (error) => gunzip.destroy(error));
  yield* file.pipe(gunzip) as AsyncIterable<Buffer>;
}

/** The whole archive; null: it has more bytes than that. */
export async function unpackedWhole(path: string, mostBytes: number): Promise<Buffer | null> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of unpackedPieces(path)) {
    bytes += piece.length;
    if (bytes > mostBytes) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
