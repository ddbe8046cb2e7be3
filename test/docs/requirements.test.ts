import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readings } from "../../lab/fuzz/most-elements.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** Pages, the standards with their levels, and of which levels a page must say something. */
const standards: readonly (readonly [page: string, list: string, isAsked: (level: string) => boolean])[] = [
  ["docs/design/asvs.md", "asvs-5.0.0.txt", (level) => level !== "3"],
  ["docs/design/en-303-645.md", "en-303-645-3.1.3.txt", () => true],
];

interface Row {
  readonly numbers: readonly string[];
  /** Null in a table without levels. */
  readonly level: string | null;
  readonly evidence: string;
  readonly isMet: boolean;
}

/** The tables of a page whose first line is of this form, each as its first line and its rows. */
function tablesOf(text: string, form: RegExp) {
  return text
    .split(/\n(?=\|[^\n]*\n\|---)/)
    .filter((table) => form.test(table))
    .map((table) => {
      const [head = "", , ...lines] = table.split("\n");
      return { head, rows: lines.slice(0, lines.findIndex((line) => !line.startsWith("|")) >>> 0) };
    });
}

/** The rows of the tables whose first column is about requirements. */
function rowsOf(text: string): Row[] {
  return tablesOf(text, /^\| (requirement|provision) \|/).flatMap(({ head, rows }) =>
    rows.map((line) => {
      const cells = line.slice(2, -2).split(" | ");
      const level = / (level|status) \|/.test(head) ? (cells[1] ?? "") : null;
      const isMet = / shown by \|$/.test(head);
      return { numbers: (cells[0] ?? "").split(", "), level, evidence: cells.at(-1) ?? "", isMet };
    }),
  );
}

/** Lists the faults of a row's evidence: a test or a page that there is not, or words that name neither. */
function faultsOf({ evidence, numbers }: Row): string[] {
  const tests = [...evidence.matchAll(/`([a-z0-9/-]+)`: "(.+?)"(?=;|$)/g)];
  const links = [...evidence.matchAll(/\]\(([^)#]*)[^)]*\)/g)];
  const faults = tests.flatMap(([, name = "", title = ""]) => {
    const path = `test/${name}.test.ts`;
    if (!existsSync(join(root, path))) return [`${path} does not exist`];
    return titlesOf(read(path)).has(title) ? [] : [`${path} has no test "${title}"`];
  });
  for (const [, page = ""] of links)
    if (!existsSync(join(root, "docs/design", page))) faults.push(`${page} does not exist`);
  const isWhole = tests.length + links.length === evidence.split(/(?<=["`)]); /).length;
  if (tests.length + links.length === 0 || !isWhole) faults.push(`"${evidence}" cannot be read`);
  return faults.map((fault) => `${numbers}: ${fault}`);
}

/** Reads the titles of tests and suites from the source, with an ellipsis for each value that the test puts in. */
function titlesOf(source: string): Set<string> {
  const titles = source.matchAll(/\b(?:it|describe)\(\s*(?:("(?:[^"\\]|\\.)*")|`([^`]*)`)/g);
  return new Set(
    [...titles].map(([, plain, made = ""]) =>
      plain === undefined ? made.replace(/\$\{[^}]*\}/g, "…") : (JSON.parse(plain) as string),
    ),
  );
}

for (const [page, list, isAsked] of standards)
  describe(page, () => {
    const rows = rowsOf(read(page));
    const lines = read(`test/vectors/requirements/${list}`).trim().split("\n");
    const levels = new Map(lines.map((line) => line.split(" ") as [string, string]));
    const named = rows.flatMap(({ numbers }) => numbers);

    it("names requirements that there are, each once, by their level", () => {
      const strange = named.filter((number, index) => !levels.has(number) || named.indexOf(number) !== index);
      assert.deepEqual(strange, []);
      for (const { numbers, level } of rows.filter((row) => row.level !== null)) {
        const found = new Set(numbers.map((number) => levels.get(number)));
        assert.equal(level, [...found].join(", "), `${numbers}`);
      }
    });

    it("leaves out none that is asked for: met, not applicable, or not met", () => {
      const left = [...levels].filter(([number, level]) => isAsked(level) && !named.includes(number));
      assert.deepEqual(left, []);
    });

    it("names tests that there are", () => {
      const met = rows.filter(({ isMet }) => isMet);
      assert.ok(met.length > 40, `only ${met.length} rows`);
      assert.deepEqual(met.flatMap(faultsOf), []);
    });
  });

/** Tests, scenarios, and files of the sources that are the rule themselves. */
const testFiles = /`((?:test|lab\/scenarios)\/[\w./-]+\.(?:test|scenario)\.ts)`/g;

for (const [page, least] of [
  ["docs/design/threat-model.md", 60],
  ["SECURITY.md", 12],
] as const)
  it(`${page} names a test for each claim, and tests that there are`, () => {
    const claims = tablesOf(read(page), /^\|[^\n]*\| held by \|\n/).flatMap(({ rows }) => rows);
    assert.ok(claims.length >= least, `only ${claims.length} rows`);
    const faults = claims.flatMap((claim) => {
      const named = [...(claim.split(" | ").at(-1) ?? "").matchAll(testFiles)].map(([, path = ""]) => path);
      if (named.length === 0) return [`no test: ${claim}`];
      return named.filter((path) => !existsSync(join(root, path))).map((path) => `${claim}: no ${path}`);
    });
    assert.deepEqual(faults, []);
  });

it("the threat model lists each reader that is given the most elements", () => {
  const [, after = ""] = read("docs/design/threat-model.md").split("## Readers of foreign bytes");
  const [listed = ""] = after.split("## Authenticated time");
  for (const { reader } of readings) assert.ok(listed.includes(`| ${reader} `), reader);
});

describe("the check of such a page", () => {
  const row = (evidence: string): Row => ({ numbers: ["1.1.1"], level: "1", isMet: true, evidence });

  it("notices a test that was renamed, a file that is gone, and evidence that is none", () => {
    const own = '`docs/requirements`: "names tests that there are"';
    assert.deepEqual(faultsOf(row(own)), []);
    assert.match(faultsOf(row(own.replace("names", "named"))).join(), /has no test/);
    assert.match(faultsOf(row(own.replace("docs/", "dogs/"))).join(), /does not exist/);
    assert.match(faultsOf(row("[there](nowhere.md)")).join(), /nowhere\.md does not exist/);
    for (const evidence of ["", "by its nature", `${own}; and others`])
      assert.match(faultsOf(row(evidence)).join(), /cannot be read/, evidence);
  });

  it("reads each table", () => {
    const text =
      "| requirement | level | shown by |\n|---|---|---|\n| 1.1.1, 1.1.2 | 2 | [a](b.md) |\n\nText";
    assert.deepEqual(rowsOf(text), [
      { numbers: ["1.1.1", "1.1.2"], level: "2", evidence: "[a](b.md)", isMet: true },
    ]);
  });
});
