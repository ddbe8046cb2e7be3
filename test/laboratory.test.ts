import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { violations } from "./architecture.ts";
import { laboratoryViolations } from "./laboratory.ts";

const root = join(import.meta.dirname, "..");

describe("scripts, laboratory and tests", () => {
  it("import what is below them only: src, scripts, lab by its floors, test", () => {
    const files = ["scripts", "lab", "test"].flatMap((house) =>
      readdirSync(join(root, house), { recursive: true, encoding: "utf8" })
        .filter((path) => /\.(tsx?|[cm]?js)$/.test(path))
        .map((path) => ({ path: `${house}/${path}`, text: readFileSync(join(root, house, path), "utf8") })),
    );
    assert.ok(files.length > 500, `only ${files.length} files were looked at`);
    assert.deepEqual(laboratoryViolations(files), []);
  });

  for (const [path, specifier, expected] of [
    ["scripts/build.ts", "../lab/agents/running-agent.ts", /scripts is below lab/],
    ["lab/fuzz/tar.ts", "../../test/words.ts", /lab is below test/],
    ["lab/basics/until.ts", "../agents/enrol.ts", /higher one/],
    ["lab/fuzz/tar.ts", "../bench/row.ts", /its own floor/],
    ["lab/attic/a.ts", "node:fs", /no folder of the laboratory/],
  ] as const)
    it(`do not stand with ${specifier} in ${path}`, () => {
      const found = laboratoryViolations([{ path, text: `import { a } from "${specifier}";` }]);
      assert.equal(found.length, 1, found.join("; "));
      assert.match(found[0] ?? "", expected);
    });

  for (const beside of ["lab/agents/enrol.ts", "scripts/roff.ts", "test/words.ts"])
    it(`are nothing to the house: ${beside}`, () => {
      const text = `import { a } from "../../${beside}";`;
      const found = ["programs", "auth", "console"].flatMap((room) =>
        violations([{ path: `${room}/a.ts`, text }]),
      );
      assert.equal(found.length, 3, found.join("; "));
    });
});
