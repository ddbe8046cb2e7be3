import { StewardError } from "../../contract/errors.ts";
import { mostUnpackedBytes } from "../../releases/patches/patch.ts";
import { type Zstandard, zstandard } from "../../releases/patches/zstandard.ts";

/** Zstandard has 22: level 20 and above take much more memory, and level 9 makes patches between programs three times larger. */
const level = 19;

/** Throws `validation_failed` where this Node cannot make patches. */
export async function requireZstandard(): Promise<Zstandard> {
  const found = await zstandard();
  if (found !== null) return found;
  throw new StewardError(
    "validation_failed",
    `Patches are made by Zstandard with a dictionary, which Node has from 22.19 and 24.6 on. This one has it not: run steward-publisher with a newer Node, or leave --patch-from out. Nothing was changed.`,
  );
}

/**
 * One frame as `zstd -19 --patch-from FORMER` makes it, which holds what `next` has and `former` has not. Both have at
 * most mostUnpackedBytes. It takes about two seconds for a megabyte.
 */
export async function makePatch(former: Uint8Array, next: Uint8Array): Promise<Uint8Array> {
  const { zstdCompress, constants } = await requireZstandard();
  const bytes = Math.min(former.length + next.length, 2 * mostUnpackedBytes);
  const options = {
    dictionary: former,
    // A device unpacks only a frame that says its length.
    pledgedSrcSize: next.length,
    params: {
      [constants.ZSTD_c_compressionLevel]: level,
      // Wide enough for the first byte of the former archive to serve for the last one of the next.
      [constants.ZSTD_c_windowLog]: Math.max(10, Math.ceil(Math.log2(bytes))),
      [constants.ZSTD_c_enableLongDistanceMatching]: 1,
    },
  };
  return new Promise((resolve, reject) => {
    zstdCompress(next, options, (error, packed) => (error ? reject(error) : resolve(packed)));
  });
}
