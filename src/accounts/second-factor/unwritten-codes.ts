import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import type { OpenedDocument } from "../../store/documents/document.ts";
import { writeInMemory } from "../../store/files/durable-file.ts";
import type { UsedCodes } from "./used-codes.ts";

/** Notes in memory (the run directory) that used codes are not on disk: a restarted agent would accept them again. */
export function createUnwrittenCodes(path: string, document: Pick<OpenedDocument<object>, "failure">) {
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
    try {
      writeInMemory(path, "");
    } catch {
      // The run directory is full too: the note cannot be kept anywhere.
    }
  };
  return {
    /** True if an earlier agent has left such a note. */
    wereLeft: () => wereLeft,
    /** Removes the note when all codes are on the disk. Never throws. */
    settle,
    /** The same codes; each use that the disk does not take is noted. */
    watching: (usedCodes: UsedCodes): UsedCodes => ({
      ...usedCodes,
      use: async (...code) => {
        const step = await usedCodes.use(...code);
        if (step !== undefined) await note();
        return step;
      },
    }),
  };
}
