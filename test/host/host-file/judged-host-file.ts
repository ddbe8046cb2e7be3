import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { TestContext } from "node:test";
import { StewardError } from "../../../src/contract/errors.ts";
import { readHostFile } from "../../../src/host/linux/host-file/host-file.ts";

/** A directory that, like /etc, only root can write; the temporary one can be written by all. */
export function ownDirectory(test: TestContext): string {
  const directory = mkdtempSync("/run/steward-host-file-");
  test.after(() => rmSync(directory, { recursive: true }));
  return directory;
}

/** Gives the path back. */
export function write(path: string, content: unknown): string {
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content), { mode: 0o644 });
  return path;
}

/** Throws unless the host file is refused with these words; `own`: the user besides root whose files count. */
export function refused(path: string, words: RegExp, own?: number): Promise<void> {
  return assert.rejects(readHostFile(path, { own }), (error) => {
    assert.equal(error instanceof StewardError && error.code, "validation_failed", String(error));
    assert.match(String(error), words);
    return true;
  });
}
