import { open, stat, statfs, unlink } from "node:fs/promises";
import { join } from "node:path";

/** Given up first when the disk is full, so that the last changes before that still succeed. */
export const reserveBytes = 8 * 1024 * 1024;

/** The reserve is made only when this many times its size stays free, so that it never fills a disk itself. */
const spareFactor = 2;

/** Space held back in the state directory. */
export interface Reserve {
  /** Gives the space back to the disk; false when there is none to give. */
  release(): Promise<boolean>;
  /** True from a release until the space has been taken again. */
  isGivenUp(): boolean;
  /** Takes the space again where there is enough; never throws for want of it. */
  refill(): Promise<void>;
}

export function createReserve(directory: string): Reserve {
  const path = join(directory, ".reserve");
  let isGivenUp = false;
  return {
    isGivenUp: () => isGivenUp,
    release: async () => {
      try {
        await unlink(path);
        isGivenUp = true;
        return true;
      } catch {
        return false;
      }
    },
    refill: async () => {
      const present = await stat(path).catch(() => null);
      if (present?.size === reserveBytes) return;
      const { bavail, bsize } = await statfs(directory);
      if (bavail * bsize < reserveBytes * (1 + spareFactor)) return;
      try {
        await fill(path);
        isGivenUp = false;
      } catch {
        await unlink(path).catch(() => undefined);
      }
    },
  };
}

/** Writes real bytes: a sparse file would hold nothing back. */
async function fill(path: string): Promise<void> {
  const file = await open(path, "w", 0o600);
  try {
    const chunk = Buffer.alloc(256 * 1024);
    for (let written = 0; written < reserveBytes; written += chunk.length) await file.write(chunk);
    await file.sync();
  } finally {
    await file.close();
  }
}
