import type { PatchOrder } from "../releases/download/patched-part.ts";
import { zstandard } from "../releases/patches/zstandard.ts";
import { end, fail } from "../terminal/ending.ts";
import { unpackPatch } from "../updates/download/unpack-patch.ts";

/**
 * Makes a payload of a former one and a patch, by the order in its argument. It is a process of its own: it needs up to
 * 96 MiB, which a thread would leave to the agent, and a second for each 15 MB.
 */
async function main(): Promise<number> {
  const zstd = await zstandard();
  if (zstd === null) throw new Error("this Node has no Zstandard with a dictionary");
  await unpackPatch(zstd, JSON.parse(process.argv[2] ?? "") as PatchOrder);
  return 0;
}

main().then(end, fail);
