import assert from "node:assert/strict";
import { describe, it } from "node:test";
import vm from "node:vm";
import { exportedAtOnce } from "../../scripts/build/exported-at-once.ts";

/** Runs what became of an ES module's text. */
function exportsOf(text: string): unknown {
  const module = { exports: {} };
  vm.runInThisContext(`(module) => {${exportedAtOnce(text)}}`)(module);
  return module.exports;
}

describe("what a part exports", () => {
  it("is one object, by the names that others use", () => {
    const text = "var one = 1;\nfunction two() { return 2; }\nexport {\n  one,\n  two as deux\n};\n";
    const { one, deux } = exportsOf(text) as { one: number; deux: () => number };
    assert.deepEqual([one, deux()], [1, 2]);
  });

  it("may be nothing", () => assert.deepEqual(exportsOf("var one = 1;\n"), {}));

  it("is no variable that is assigned again", () => {
    for (const again of ["count = 2", "count += 1", "count ??= 2"])
      assert.throws(
        () =>
          exportedAtOnce(`var count = 1;\nfunction next() { ${again}; }\nexport {\n  count,\n  next\n};\n`),
        /count is exported, and assigned again/,
      );
    exportedAtOnce(
      "var count = 1;\nvar is = (other) => other.count === count;\nexport {\n  count,\n  is\n};\n",
    );
  });
});
