import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { updateRecordKind } from "../../src/releases/update-record.ts";
import { loadDocument } from "../../src/store/documents/load.ts";

describe("the record of updates", () => {
  it("of a release that applied nothing yet is taken over whole", async (test) => {
    const directory = mkdtempSync(join(tmpdir(), "steward-record-"));
    test.after(() => rmSync(directory, { recursive: true, force: true }));
    const { followed: _, postponed: __, ...former } = updateRecordKind.defaults;
    const seed = "ab".repeat(16);
    const stored = { ...former, seed, failures: 2, __internal__: { migrations: { version: "1.0.0" } } };
    writeFileSync(join(directory, "updates.json"), JSON.stringify(stored));
    const { value, origin, finding } = await loadDocument(directory, updateRecordKind, false);
    assert.deepEqual([origin, finding], ["file", null]);
    assert.deepEqual(value, { ...updateRecordKind.defaults, seed, failures: 2 });
  });
});
