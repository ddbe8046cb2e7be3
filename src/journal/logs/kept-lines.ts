import { constants } from "node:fs";
import { lstat, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { ifAbsent } from "../../contract/errors.ts";
import { openDispensable, readRegular } from "../../store/files/regular-file.ts";

/** Keeps lines of the log after the agent has ended, if there is no journal. */
export type KeptLines = ReturnType<typeof createKeptLines>;

/** Bytes of one of the two files: weeks of a healthy agent. */
const mostBytes = 262_144;

/** Bytes that are read of one: lines that were added at once may exceed `mostBytes`. */
const mostReadBytes = 16 * mostBytes;

/** The names of the files; a directory with only these holds no state. */
export const keptFiles = { present: "log.jsonl", former: "log.1.jsonl" } as const;

/** Keeps lines in log.jsonl and, when full, log.1.jsonl. Not synced: a power cut may shorten it, and fsyncs wear. */
export function createKeptLines(directory: string) {
  const present = join(directory, keptFiles.present);
  const former = join(directory, keptFiles.former);
  return {
    /** The oldest first; unreadable lines are left out. */
    read: async (): Promise<readonly string[]> => [...(await linesOf(former)), ...(await linesOf(present))],
    /** Throws the file system's error. */
    append: async (lines: readonly string[]): Promise<void> => {
      if (lines.length === 0) return;
      // The line feed comes first, so that a line torn by a power cut spoils no other.
      const text = lines.map((line) => `\n${line}`).join("");
      const bytes = await sizeOf(present);
      if (bytes > 0 && bytes + Buffer.byteLength(text) > mostBytes) await replace(former, present);
      const file = await openDispensable(present, constants.O_WRONLY | constants.O_APPEND);
      try {
        await file.writeFile(text);
      } finally {
        await file.close();
      }
    },
  };
}

/** A directory made by another program would prevent the change of files for ever. */
async function replace(former: string, present: string): Promise<void> {
  await rm(former, { recursive: true, force: true });
  await rename(present, former);
}

async function linesOf(path: string): Promise<string[]> {
  const text = await readRegular(path, mostReadBytes).catch(() => "");
  return text
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "");
}

async function sizeOf(path: string): Promise<number> {
  const stats = await lstat(path).catch(ifAbsent);
  return stats?.isFile() ? stats.size : 0;
}
