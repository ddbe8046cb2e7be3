import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { textsOfParts } from "../../src/console/catalogue/texts-of-parts.ts";
import { sentencesOf } from "../words.ts";

const source = join(import.meta.dirname, "../../src/console");
const languages = join(source, "catalogue/languages");
const contractWords = join(source, "../contract/words");

/** The members of a language's file, which its pages use as `t.users` and the like. */
const sectionsIn = (file: string): string[] =>
  [...readFileSync(file, "utf8").matchAll(/^export const (\w+)/gm)].map(([, name = ""]) => name);

/** The file itself, and all that it imports for more than a type. */
function reachedFrom(file: string, reached = new Set<string>()): ReadonlySet<string> {
  if (reached.has(file) || !/\.tsx?$/.test(file)) return reached;
  reached.add(file);
  for (const [, path = ""] of readFileSync(file, "utf8").matchAll(/^import (?!type)[^"]*?"(\..*?)";/gm))
    reachedFrom(join(dirname(file), path), reached);
  return reached;
}

/** The sentences in all files of a folder but those of words that people type, and that no page says. */
const sentencesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith("/other-words.ts"))
    .flatMap((file) => sentencesOf(readFileSync(join(folder, file), "utf8")).map(({ text }) => text));

describe("the texts of the console", () => {
  const base = sectionsIn(join(languages, "en/base.ts"));
  const table = readFileSync(join(source, "main.tsx"), "utf8").matchAll(
    /^ +(\w+): \(\) => import\("\.\/(.+)"\)/gm,
  );
  const entries = new Map([...table].map(([, part, file]) => [part, file]));
  for (const [part, texts] of Object.entries({ base: [], ...textsOfParts })) {
    const entry = part === "base" ? "main.tsx" : entries.get(part);
    assert.ok(entry, `${part} has no file`);
    it(`are loaded with the pages that use them: ${part}`, () => {
      const files = [...reachedFrom(join(source, entry))];
      assert.ok(files.length > 15, `only ${files.length} files belong to it`);
      const own = texts.flatMap((file) => sectionsIn(join(languages, `en/${file}.ts`)));
      const missing = files.flatMap((file) =>
        [...readFileSync(file, "utf8").matchAll(/(?<![\w.])t\.([a-z]\w*)\./g)]
          .filter(([, section = ""]) => ![...base, ...own].includes(section))
          .map(([text]) => `${file}: ${text}`),
      );
      assert.deepEqual(missing, []);
    });
  }

  it("are in the same files in every language", () => {
    const used = new Set(["base", "findings", ...Object.values(textsOfParts).flat()]);
    const files = [...used].map((file) => `${file}.ts`).sort();
    const [first = "", ...others] = readdirSync(languages);
    for (const language of [first, ...others]) {
      const own = readdirSync(join(languages, language)).filter((name) => name.endsWith(".ts"));
      assert.deepEqual(own.sort(), files);
      for (const file of files)
        assert.deepEqual(
          sectionsIn(join(languages, language, file)),
          sectionsIn(join(languages, first, file)),
        );
    }
  });

  const breakable = /[a-z0-9]–[a-z0-9]|\d (µs|ms|s|min|h|d|KiB|MiB|GiB|°C|ppm)(?![a-z])/;
  for (const tag of readdirSync(languages))
    it(`keep a range, and a figure with its unit, on one line (${tag})`, () =>
      assert.deepEqual(
        sentencesIn(join(languages, tag)).filter((text) => breakable.test(text)),
        [],
      ));

  /** The glossary has one word for each thing; these are the others, and what a page does not say at all. */
  for (const [tag, others] of [
    [
      "en",
      /two-factor\b(?! key)|synchroni[sz]|\bestablished\b|rolled? back|\blog(ged)? (in|out)\b|falseticker|\bplease\b|!$|\boops\b/i,
    ],
    [
      "de",
      /Zwei-Faktor|synchronisierung|hergestellt werden|Hostdatei|API-Tokens|Einlogg|Login|\bRelease|(?<!steward )setup\b|\bNetz\b|Protokolle\b|\bbitte\b|!$/i,
    ],
  ] as const)
    it(`name each thing with the one word that the glossary has for it (${tag})`, () => {
      const sentences = [languages, contractWords].flatMap((folder) => sentencesIn(join(folder, tag)));
      assert.ok(sentences.length > 400, `only ${sentences.length} sentences`);
      assert.deepEqual(
        sentences.filter((text) => others.test(text)),
        [],
      );
    });
});
