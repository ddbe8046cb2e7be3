import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { readInitialSettings } from "../../src/programs/agent/config.ts";

describe("the initial settings of a product", () => {
  const directory = scratchDirectory();
  const at = (name: string) => join(directory, name);
  mkdirSync(at("directory"));
  symlinkSync(at("gone"), at("link"));
  writeFileSync(at("no-json"), "{ device: pump }");
  const unusable: Record<string, RegExp> = {
    absent: /absent, which does not exist\.$/,
    link: /link, which leads nowhere: .*link is a link to a place that is absent\.$/,
    directory: /directory, which cannot be read \(EISDIR\)\.$/,
    "no-json": /no-json, which is not JSON at line 1, column 3: a text or name is not in quotation marks/,
  };
  for (const [name, message] of Object.entries(unusable))
    it(`name the file that cannot be used, and why: ${name}`, () =>
      assert.rejects(readInitialSettings(at(name)), { code: "validation_failed", message }));

  it("are none where the variable is not set", async () =>
    assert.deepEqual([await readInitialSettings(undefined), await readInitialSettings("")], [{}, {}]));
});
