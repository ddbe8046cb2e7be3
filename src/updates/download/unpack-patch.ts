import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { createPayloadGzip } from "../../releases/patches/payload-gzip.ts";
import { freeMemoryOf, type Zstandard } from "../../releases/patches/zstandard.ts";
import { openDispensable, openRegular } from "../../store/files/regular-file.ts";
import type { PatchOrder } from "./patched-part.ts";

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
    await packed(out, piped(order.patch, patch), order.toBytes);
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

async function packed(out: FileHandle, pieces: AsyncIterable<Buffer>, toBytes: number): Promise<void> {
  const waiting: Uint8Array[] = [];
  const gzip = createPayloadGzip((piece) => void waiting.push(piece));
  const write = async (): Promise<void> => {
    for (const piece of waiting.splice(0)) await out.writeFile(piece);
  };
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > toBytes) throw new Error("the patch makes more than was signed");
    gzip.push(piece);
    await write();
  }
  if (bytes !== toBytes) throw new Error("the patch makes less than was signed");
  gzip.end();
  await write();
}

/** A file through a stream; a file that cannot be read ends it as well. */
async function* piped(path: string, through: NodeJS.ReadWriteStream & Readable): AsyncGenerator<Buffer> {
  const { file } = await openRegular(path);
  const source = file.createReadStream();
  source.on("error", (error) => through.destroy(error));
  yield* source.pipe(through) as AsyncIterable<Buffer>;
}
