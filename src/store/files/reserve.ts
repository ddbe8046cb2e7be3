import { constants, lstatSync } from "node:fs";
import { statfs, unlink } from "node:fs/promises";
import { join } from "node:path";
import { uptime as processUptime } from "node:process";
import { openDispensable } from "./regular-file.ts";

/** Bytes given up first when the disk is full, so that the last changes before that still succeed. */
export const reserveBytes = 8 * 1024 * 1024;

/** The reserve is made only if this many times its size stays free, so that it never fills a disk itself. */
const spareFactor = 2;

/** Free bytes needed to make the reserve. */
export const reserveNeedsBytes = reserveBytes * (1 + spareFactor);

/** Space held back in the state directory. */
export type Reserve = ReturnType<typeof createReserve>;

/** Seconds before the next try on a disk that took a part of the reserve and refused the rest: each try wears it. */
const pauseSeconds = 600;

/** `uptime`: monotonic seconds. */
export function createReserve(directory: string, uptime: () => number = processUptime) {
  const path = join(directory, ".reserve");
  let isGivenUp = false;
  let refilling: Promise<boolean> | undefined;
  let nextTry = Number.NEGATIVE_INFINITY;
  const refill = async (): Promise<boolean> => {
    const present = lstatSync(path, { throwIfNoEntry: false });
    if (!present?.isFile() || present.size !== reserveBytes) {
      const { bavail, bsize } = await statfs(directory);
      if (bavail * bsize < reserveNeedsBytes || uptime() < nextTry) return false;
      const written = await fill(path);
      if (written < reserveBytes) {
        if (written > 0) nextTry = uptime() + pauseSeconds;
        return false;
      }
    }
    isGivenUp = false;
    return true;
  };
  return {
    /** True from a release until the space has been taken again. */
    isGivenUp: (): boolean => isGivenUp,
    /** Frees the space; false if there is none. */
    release: async (): Promise<boolean> => {
      try {
        await unlink(path);
        isGivenUp = true;
        return true;
      } catch {
        return false;
      }
    },
    /** Takes the space again if there is enough, and never throws if there is not. True if it is there afterwards. */
    // One at a time: a second one would cut short the file that the first has filled.
    refill: (): Promise<boolean> => {
      refilling ??= refill().finally(() => {
        refilling = undefined;
      });
      return refilling;
    },
  };
}

/** Writes real bytes, as a sparse file holds nothing back; returns their number. If the disk refuses, nothing is left. */
async function fill(path: string): Promise<number> {
  let written = 0;
  try {
    const file = await openDispensable(path, constants.O_WRONLY | constants.O_TRUNC);
    try {
      const chunk = Buffer.alloc(256 * 1024);
      while (written < reserveBytes) written += (await file.write(chunk)).bytesWritten;
      await file.sync();
    } finally {
      await file.close();
    }
    return written;
  } catch {
    await unlink(path).catch(() => undefined);
    return Math.min(written, reserveBytes - 1);
  }
}
