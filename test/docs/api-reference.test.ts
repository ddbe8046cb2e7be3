import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { documentedIds } from "../../src/contract/openapi/document.ts";

const root = join(import.meta.dirname, "../..");

describe("the rendered API reference", () => {
  const directory = mkdtempSync(join(tmpdir(), "steward-reference-"));
  let page: string;

  before(async () => {
    const path = join(directory, "reference.html");
    const script = join(root, "scripts/docs/api-reference.ts");
    await promisify(execFile)(process.execPath, ["--import", "tsx", script, path], { cwd: root });
    page = readFileSync(path, "utf8");
  });
  after(() => rmSync(directory, { recursive: true }));

  it("has every operation", () => {
    for (const id of documentedIds) assert.ok(page.includes(`"${id}"`), id);
  });

  it("loads nothing from anywhere: it is read without a network", () => {
    const loaded = [...page.matchAll(/<(?:script|link|img)\b[^>]*\b(?:src|href)="(?!data:)([^"]*)"/g)];
    assert.deepEqual(
      loaded.map(([, address]) => address),
      [],
    );
  });
});
