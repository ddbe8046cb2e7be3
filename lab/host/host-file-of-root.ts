import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Options for tests that write a host file: only root can make a file that is root's. */
export const asRoot = { skip: process.getuid?.() !== 0 && "needs root" };

/** A host file as the agent takes it: root's, in a directory that, like /etc, only root can write. */
export function writeHostFile(content: object): { path: string; remove: () => void } {
  const directory = mkdtempSync("/run/steward-host-file-");
  const path = join(directory, "steward.json");
  writeFileSync(path, JSON.stringify(content), { mode: 0o644 });
  return { path, remove: () => rmSync(directory, { recursive: true, force: true }) };
}
