import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { promisify } from "node:util";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { documentedIds } from "../../src/contract/openapi/document.ts";

const root = join(import.meta.dirname, "../..");

describe("the rendered API reference", () => {
  const directory = scratchDirectory();
  let page: string;

  before(async () => {
    const path = join(directory, "reference.html");
    const script = join(root, "scripts/docs/api-reference.ts");
    await promisify(execFile)(process.execPath, ["--import", "tsx", script, path], { cwd: root });
    page = readFileSync(path, "utf8");
  });

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
