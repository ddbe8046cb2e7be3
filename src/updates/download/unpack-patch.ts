import { constants } from "node:fs";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { PatchOrder } from "../../releases/download/patched-part.ts";
import { packInto } from "../../releases/patches/payload-gzip.ts";
import { freeMemoryOf, type Zstandard } from "../../releases/patches/zstandard.ts";
import { openDispensable, openRegular } from "../../store/files/regular-file.ts";

/** Bytes that are unpacked, packed and written at a time. */
const pieceBytes = 65_536;

/** log2 of the window that a frame may ask for: both archives at their largest. */
const mostWindowLog = 26;

/**
 * Unpacks the former payload and the patch, and packs the archive that they make as the publisher has packed it. In memory
 * are the former archive once and what is made of it. Throws where a file is not what the order says.
 */
export async function unpackPatch(zstd: Zstandard, order: PatchOrder): Promise<void> {
  const dictionary = await unpackedFormer(order);
  const patch = zstd.createZstdDecompress({
    dictionary,
    chunkSize: pieceBytes,
    params: { [zstd.constants.ZSTD_d_windowLogMax]: mostWindowLog },
  });
  // Zstandard has a copy; this process must not hold the archive twice while the third is made.
  freeMemoryOf(dictionary);
  const out = await openDispensable(order.out, constants.O_WRONLY);
  try {
    await packInto(out, exactly(order.toBytes, piped(order.patch, patch)));
  } finally {
    await out.close();
  }
}

async function unpackedFormer({ former, fromBytes }: PatchOrder): Promise<Uint8Array> {
  const whole = new Uint8Array(fromBytes);
  let bytes = 0;
  for await (const piece of piped(former, createGunzip({ chunkSize: pieceBytes }))) {
    if (bytes + piece.length > fromBytes) throw new Error("the former archive is longer than was signed");
    whole.set(piece, bytes);
    bytes += piece.length;
  }
  if (bytes !== fromBytes) throw new Error("the former archive is shorter than was signed");
  return whole;
}

/** The pieces, which have so many bytes together. */
async function* exactly(toBytes: number, pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > toBytes) throw new Error("the patch makes more than was signed");
    yield piece;
  }
  if (bytes !== toBytes) throw new Error("the patch makes less than was signed");
}

/** A file through a stream; a file that cannot be read ends it as well. */
async function* piped(path: string, through: NodeJS.ReadWriteStream & Readable): AsyncGenerator<Buffer> {
  const { file } = await openRegular(path);
  const source = file.createReadStream();
  source.on("error", (error) => through.destroy(error));
  yield* source.pipe(through) as AsyncIterable<Buffer>;
}
