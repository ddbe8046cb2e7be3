import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { settingKeysOf } from "../src/cli/system/setting-keys.ts";
import { settings } from "../src/contract/schemas/settings.ts";
import { habitsIn, isFragment } from "./prose.ts";
import { bannedWords, commentsOf, jargonIn, sentencesOf } from "./words.ts";

const top = join(import.meta.dirname, "..");
const source = join(top, "src");
const keys = settingKeysOf(settings).map(({ key }) => key);

/** Lists the faults of every file of a folder of src: file, line and sentence, with what is wrong with it. */
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
const isGerman = (fault: string): boolean =>
  /^(console\/catalogue\/languages|contract\/words)\/de\//.test(fault);

describe("the sentences that a person can see", () => {
  it("are written in the field's words: errors, help, API texts, console", () => {
    assert.deepEqual(
      faultsIn(".", bannedWords).filter((fault) => !isGerman(fault)),
      [],
    );
  });

  it("name no setting key, flag or pattern in the console", () => {
    const faults = ["console/catalogue", "contract/words"].flatMap((folder) =>
      faultsIn(folder, (text) => jargonIn(text, keys)),
    );
    // The command line says other words of the contract as well.
    const ofConsole = /^console|\/(events|problems)\.ts:/;
    assert.deepEqual(
      faults.filter((fault) => ofConsole.test(fault)),
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

  for (const [text, ...expected] of [
    ["Nobody vouches for the clock", "Nobody", "vouches"],
    ["what is said by itself", "by itself", "what is"],
    ["the user changes his password", "his"],
    ["the clock is trusted"],
    ["Set update.ota.enabled first.", "the setting update.ota.enabled"],
    ["Start it with --releases.", "the flag --releases"],
    ["Must match [a-z0-9]+", "a regular expression"],
    ["Type `steward` there.", "a backtick"],
  ] as const)
    it(`have in “${text}” ${expected.length === 0 ? "no fault" : expected.join(" and ")}`, () => {
      const found = [...bannedWords(text), ...jargonIn(text, ["update.ota.enabled"])];
      assert.deepEqual(found.sort(), [...expected].sort());
    });
});

/** The TypeScript and C files of the repository, but for this one, which has examples of what is refused. */
const sourceFiles = (): string[] =>
  ["src", "test", "scripts", "lab"].flatMap((folder) =>
    readdirSync(join(top, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => /\.(tsx?|mjs|[ch])$/.test(path) && !path.includes("node_modules/"))
      .map((path) => join(folder, path))
      .filter((path) => path !== "test/words.test.ts"),
  );

/** Messages of src that are fragments. A short label of the console is none: it names a field or a column. */
const fragments = (): string[] =>
  faultsIn(".", (text) => (isFragment(text) ? ["is a fragment"] : [])).filter(
    (fault) =>
      !isGerman(fault) && (!/^(console\/catalogue|contract\/words)\//.test(fault) || fault.includes(". ")),
  );

const habitsOf = (text: string): string[] => {
  const comments = commentsOf(text).map((comment) => comment.text);
  return [...habitsIn(text, comments)].filter(([, count]) => count > 0).map(([habit]) => habit);
};

describe("the sentences that a developer reads", () => {
  it("have no fragments, private words and empty names", () => {
    const habits = sourceFiles().flatMap((path) =>
      habitsOf(readFileSync(join(top, path), "utf8")).map((habit) => `${path}: ${habit}`),
    );
    assert.deepEqual([...fragments(), ...habits], [], 'CONTRIBUTING.md, "Style", says what to write instead');
  });

  it("are found in comments of each form, and adjacent lines are one comment", () => {
    const text = `/** What it is. */ const a = "// no"; // How it is
// done.

// alone
/*
 * Of two
 * lines.
 */
interface StatusGround {}`;
    const comments = commentsOf(text);
    assert.deepEqual(comments, [
      { text: "What it is.", line: 1 },
      { text: "How it is done.", line: 1 },
      { text: "alone", line: 4 },
      { text: "Of two lines.", line: 5 },
    ]);
    assert.deepEqual(habitsOf(text), ["What …", "Of …", "How …", "alone", "type …Ground"]);
  });
});
