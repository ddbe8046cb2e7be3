import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";

const source = join(import.meta.dirname, "../../src/console");

const languages = join(source, "catalogue/languages");

/** The members of a language's file, which its pages use as `t.users` and the like. */
function sectionsIn(file: string): string[] {
  return [...readFileSync(file, "utf8").matchAll(/^export const (\w+)/gm)].map(([, name = ""]) => name);
}

/** The file itself, and all that it imports for more than a type. */
function reachedFrom(file: string, reached = new Set<string>()): ReadonlySet<string> {
  if (reached.has(file) || !/\.tsx?$/.test(file)) return reached;
  reached.add(file);
  for (const [, path = ""] of readFileSync(file, "utf8").matchAll(/^import (?!type)[^"]*?"(\..*?)";/gm))
    reachedFrom(join(dirname(file), path), reached);
  return reached;
}

describe("the texts of the console", () => {
  const base = sectionsIn(join(languages, "en/base.ts"));
  for (const [part, entry] of [
    ["base", "main.tsx"],
    ["people", "frame/pages/people.ts"],
    ["device", "frame/pages/device.ts"],
    ["machine", "system/facts/machine-dialog.tsx"],
    ["records", "frame/pages/records.ts"],
    ["settings", "frame/pages/settings.ts"],
  ] as const) {
    it(`are loaded with the pages that use them: ${part}`, () => {
      const files = [...reachedFrom(join(source, entry))];
      assert.ok(files.length > 20, `only ${files.length} files belong to it`);
      const loaded = new Set([...base, ...sectionsIn(join(languages, `en/${part}.ts`))]);
      const missing = files.flatMap((file) =>
        [...readFileSync(file, "utf8").matchAll(/(?<![\w.])t\.([a-z]\w*)\./g)]
          .filter(([, section = ""]) => !loaded.has(section))
          .map(([text]) => `${file}: ${text}`),
      );
      assert.deepEqual(missing, []);
    });
  }

  it("are in the same files in every language", () => {
    const [first = "", ...others] = readdirSync(languages);
    const files = readdirSync(join(languages, first)).sort();
    assert.deepEqual(files, ["base.ts", "device.ts", "machine.ts", "people.ts", "records.ts", "settings.ts"]);
    for (const other of others) {
      assert.deepEqual(readdirSync(join(languages, other)).sort(), files);
      for (const file of files)
        assert.deepEqual(sectionsIn(join(languages, other, file)), sectionsIn(join(languages, first, file)));
    }
  });
});
