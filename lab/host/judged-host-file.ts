import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { checkHostFile } from "../../src/programs/host-file/check.ts";
import { decisionsOf, type HostFile } from "../../src/programs/host-file/decisions.ts";
import { HostFileRefused, readHostFile } from "../../src/programs/host-file/host-file.ts";
import { atEnd } from "../basics/ending.ts";

/** A directory that, like /etc, only root can write; the temporary one can be written by all. */
export function ownDirectory(test: TestContext): string {
  const directory = mkdtempSync("/run/steward-host-file-");
  atEnd(test, () => rmSync(directory, { recursive: true }));
  return directory;
}

/** Gives the path back. */
export function write(path: string, content: unknown): string {
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content), { mode: 0o644 });
  return path;
}

/** The path of a host file in such a directory. */
export function hostFile(test: TestContext, content: unknown): string {
  return write(join(ownDirectory(test), "steward.json"), content);
}

/** The decisions of a host file. Throws as the agent's reading does; `own`: the user besides root whose files count. */
export async function readAt(path: string, own?: number): Promise<HostFile> {
  const { text } = await readHostFile(path, own);
  const { document } = checkHostFile(text ?? "{}");
  assert.ok(document);
  return decisionsOf(document);
}

/** Throws unless the host file is refused with these words; `own`: as with `readAt`. */
export function refused(path: string, words: RegExp, own?: number): Promise<void> {
  return assert.rejects(readHostFile(path, own), (error) => {
    assert.ok(error instanceof HostFileRefused, String(error));
    assert.equal(error.code, "validation_failed");
    assert.match(error.message, words);
    return true;
  });
}
