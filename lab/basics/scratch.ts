import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const made: string[] = [];

/**
 * A new directory that goes with the process: after every hook, so that none is removed under an agent that still runs.
 * temporaryDirectory (ending.ts) makes those that take much room and go with their test.
 */
export function scratchDirectory(): string {
  if (made.length === 0) process.once("exit", removeAll);
  const directory = mkdtempSync(join(tmpdir(), "steward-"));
  made.push(directory);
  return directory;
}

function removeAll(): void {
  for (const directory of made) rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}
