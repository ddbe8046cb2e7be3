import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { documentedIds } from "../../src/contract/openapi/document.ts";

const root = join(import.meta.dirname, "../..");

it("the rendered API reference has every operation, and loads nothing: it is read without a network", () => {
  const path = join(scratchDirectory(), "reference.html");
  execFileSync(process.execPath, ["--import", "tsx", "scripts/docs/api-reference.ts", path], { cwd: root });
  const page = readFileSync(path, "utf8");
  for (const id of documentedIds) assert.ok(page.includes(`"${id}"`), id);
  assert.doesNotMatch(page, /<(?:script|link|img)\b[^>]*\b(?:src|href)="(?!data:)/);
});
