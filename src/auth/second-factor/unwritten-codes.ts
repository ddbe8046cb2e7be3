import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import type { OpenedDocument } from "../../store/documents/document.ts";
import { writeDurably } from "../../store/files/durable-file.ts";
import type { UsedCodes } from "./used-codes.ts";

/**
 * Remembers in the run directory, which is memory, that codes were used which the disk has not taken: an agent that is
 * started anew on a read-only disk would take them again.
 */
export interface UnwrittenCodes {
  /** An earlier agent has left some. */
  wereLeft(): boolean;
  /** The same codes; each use that the disk does not take is remembered. */
  watching(usedCodes: UsedCodes): UsedCodes;
  /** Forgets them when all are on the disk. Never throws. */
  settle(): Promise<void>;
}

export function createUnwrittenCodes(
  path: string,
  document: Pick<OpenedDocument<object>, "failure">,
): UnwrittenCodes {
  const wereLeft = existsSync(path);
  let isNoted = wereLeft;
  const settle = async (): Promise<void> => {
    if (!isNoted || document.failure() !== null) return;
    isNoted = false;
    await rm(path, { force: true }).catch(() => undefined);
  };
  const note = async (): Promise<void> => {
    if (isNoted || document.failure() === null) return settle();
    isNoted = true;
    // Where the run directory is full too, there is nothing left to remember it in.
    await writeDurably(path, "").catch(() => undefined);
  };
  return {
    wereLeft: () => wereLeft,
    settle,
    watching: (usedCodes) => ({
      ...usedCodes,
      use: async (...code) => {
        const step = await usedCodes.use(...code);
        if (step !== undefined) await note();
        return step;
      },
    }),
  };
}
