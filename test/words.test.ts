import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { settingKeysOf } from "../src/cli/system/setting-keys.ts";
import { settings } from "../src/contract/schemas/settings.ts";
import { bannedWords, jargonIn, sentencesOf } from "./words.ts";

const source = join(import.meta.dirname, "../src");
const keys = settingKeysOf(settings).map(({ key }) => key);

/** Of every file of a folder of src: file, line and sentence, with what is wrong with it. */
function faultsIn(folder: string, faultsOf: (text: string) => string[]): string[] {
  const files = readdirSync(join(source, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => join(folder, path));
  const sentences = files.flatMap((path) =>
    sentencesOf(readFileSync(join(source, path), "utf8")).map((sentence) => ({ path, ...sentence })),
  );
  assert.ok(sentences.length > files.length / 4, `only ${sentences.length} sentences in ${folder}`);
  return sentences.flatMap(({ path, line, text }) =>
    faultsOf(text).map((fault) => `${path}:${line}: ${fault}: ${text}`),
  );
}

/** English pronouns are other words there. */
const isGerman = (fault: string): boolean => fault.startsWith("console/catalogue/languages/de/");

describe("the sentences that a person can see", () => {
  it("are written in the field's words: errors, help, API texts, console", () => {
    assert.deepEqual(
      faultsIn(".", bannedWords).filter((fault) => !isGerman(fault)),
      [],
    );
  });

  it("name no setting key, flag or pattern in the console", () => {
    assert.deepEqual(
      faultsIn("console/catalogue", (text) => jargonIn(text, keys)),
      [],
    );
  });

  it("are all found: in quotes, in templates, between their values, behind patterns and comments", () => {
    const text = `// "not this one"
const a = "nobody is here"; /* 'nor this' */ const b = /"[/]/.test(c) ? \`the \${d ? "some words" : {}} and then\` : 'two words';
const e = f / g; const h = "it\\'s said \\"so\\"";`;
    assert.deepEqual(
      sentencesOf(text).map((sentence) => sentence.text),
      ["nobody is here", "some words", " and then", "two words", 'it\'s said "so"'],
    );
  });

  for (const [text, expected] of [
    ["Nobody vouches for the clock", ["vouches", "Nobody"]],
    ["what is said by itself", ["by itself", "what is"]],
    ["the user changes his password", ["his"]],
    ["the clock is trusted", []],
  ] as const)
    it(`finds ${expected.length === 0 ? "nothing" : expected.join(" and ")} in “${text}”`, () => {
      assert.deepEqual(bannedWords(text).sort(), [...expected].sort());
    });

  for (const [text, expected] of [
    ["Set update.ota.enabled first.", "the setting update.ota.enabled"],
    ["Start it with --releases.", "the flag --releases"],
    ["Must match [a-z0-9]+", "a regular expression"],
    ["Type `steward` there.", "a backtick"],
  ] as const)
    it(`finds ${expected} in a sentence of the console`, () => {
      assert.deepEqual(jargonIn(text, ["update.ota.enabled"]), [expected]);
    });
});
