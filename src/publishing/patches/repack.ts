import { createReadStream } from "node:fs";
import { open, unlink } from "node:fs/promises";
import { join } from "node:path";
import { createGunzip } from "node:zlib";
import { rethrown } from "../../contract/errors.ts";
import { packInto } from "../../releases/patches/payload-gzip.ts";
import { storageError, temporaryName } from "../../store/files/durable-file.ts";
import type { Workspace } from "../workspace.ts";

/**
 * Gives `work` the path of a payload with the archive of `file`, packed so that a device can pack it the same: gzip, tar
 * and other tools each pack differently. It is removed afterwards.
 */
export async function withRepacked<T>(
  { payloads }: Workspace,
  file: string,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const path = temporaryName(join(payloads, "repacked"));
  try {
    await repack(file, path);
    return await work(path);
  } finally {
    await unlink(path).catch(() => undefined);
  }
}

async function repack(from: string, path: string): Promise<void> {
  const out = await open(path, "wx", 0o600).catch(rethrown((error) => storageError(path, error)));
  try {
    await packInto(out, unpackedPieces(from));
  } finally {
    await out.close();
  }
}

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
