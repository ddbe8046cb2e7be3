import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, it } from "node:test";
import vm from "node:vm";
import { buildSync } from "esbuild";
import fc from "fast-check";
import { spoiltJson } from "../../lab/fuzz/arbitraries.ts";
import { fitting } from "../../lab/fuzz/fitting.ts";
import { createCompiler } from "../../src/store/validation/compile.ts";

type Check = (value: unknown) => boolean;
type Schemas = readonly (readonly [name: string, schema: object])[];

/** Has the build's own modules write the checks: ajv, which the tests have twice, takes none of its code from another. */
const script = `import { quickChecks } from "./scripts/build/quick-checks.ts";
import { readAtStart } from "./scripts/build/validators.ts";
const files = [...readAtStart, ["wrong", new Map([["text", { type: "string" }]])]];
console.log(JSON.stringify(files.map(([file, schemas]) => [file, [...schemas], quickChecks(schemas)])));`;

function written(): (readonly [file: string, schemas: Schemas, source: string])[] {
  const root = join(import.meta.dirname, "../..");
  const args = ["--import", "tsx", "--input-type=module", "-e", script];
  const options = { cwd: root, encoding: "utf8", maxBuffer: 16 * 1024 * 1024 } as const;
  return JSON.parse(execFileSync(process.execPath, args, options));
}

/** The quick checks as the build puts them into a file. */
function compiled(source: string): Record<string, Check> {
  const { outputFiles } = buildSync({
    stdin: { contents: source, resolveDir: import.meta.dirname },
    ...{ bundle: true, platform: "node", format: "cjs", write: false },
  });
  const module = { exports: { validators: {} as Record<string, Check> } };
  const text = `(module, require) => {${outputFiles[0]?.text}}`;
  vm.runInThisContext(text)(module, createRequire(import.meta.url));
  return module.exports.validators;
}

/** Compares the two with values of which some fit. */
function compare(isValid: Check, whole: Check, schema: object): { valid: number; invalid: number } {
  const counts = { valid: 0, invalid: 0 };
  const right = fitting(schema);
  const values = fc.oneof({ weight: 2, arbitrary: right }, { weight: 3, arbitrary: right.chain(spoiltJson) });
  for (const value of fc.sample(values, { seed: 16, numRuns: 600 })) {
    const [quickly, wholly] = [structuredClone(value), structuredClone(value)];
    const expected = whole(wholly);
    assert.equal(isValid(quickly), expected, JSON.stringify(value));
    // With the same defaults.
    if (expected) assert.deepEqual(quickly, wholly);
    counts[expected ? "valid" : "invalid"] += 1;
  }
  return counts;
}

describe("a quick check answers as the whole validator does", () => {
  const compiler = createCompiler({ forSource: false });
  for (const [file, schemas, source] of written()) {
    const checks = compiled(source);
    for (const [name, schema] of schemas) {
      const check = checks[name] ?? assert.fail(name);
      if (file === "wrong") {
        it("and the comparison finds one that does not", () =>
          assert.throws(() => compare(check, compiler.compile({ type: "integer" }), schema)));
        continue;
      }
      it(`${file}: ${name}`, () => {
        const { valid, invalid } = compare(check, compiler.compile(schema), schema);
        assert.ok(valid > 20 && invalid > 20, `${valid} valid, ${invalid} invalid`);
      });
    }
  }
});
