import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { manualPage, stewardPage } from "../../scripts/manual-page.ts";
import { rescuePage } from "../../scripts/rescue-page.ts";
import { wholeTable } from "../../src/cli/command-table.ts";
import { documentNames, lateDocumentNames } from "../../src/contract/document-names.ts";
import { documentKinds } from "../../src/programs/agent/documents.ts";
import { groupOf } from "../../src/terminal/commands/command.ts";

const commandTable = await wholeTable();
const { commands } = commandTable;

const page = manualPage(commandTable, stewardPage, { version: "1.2.3", date: "2026-11-20" });
const shown = commands.filter(({ isHidden }) => !isHidden);

/**
 * As a terminal of so many columns shows it, without its weights; `warnings` is what roff finds wrong with it, of which
 * lintian allows none at 80 columns.
 */
function formatted(text: string, columns = 300): { shown: string; warnings: string } {
  // -ww: every warning, as man(1) has it with --warnings.
  const { stdout, stderr } = spawnSync("groff", ["-ww", "-man", "-Tutf8", "-P-cbou", `-rLL=${columns}n`], {
    input: text,
    encoding: "utf8",
  });
  return { shown: stdout, warnings: stderr };
}

describe("the manual page", () => {
  const { shown: text, warnings } = formatted(page);

  it("is what roff takes without a warning", () => {
    assert.equal(warnings, "");
    assert.equal(formatted(page, 80).warnings, "");
  });

  it("would have a wrong request pointed out", () => {
    assert.notEqual(formatted(`${page}.XX nonsense\n`).warnings, "");
  });

  it("has every command with its options and examples, in a group, and none that is hidden", () => {
    for (const { path, options, examples = [] } of shown) {
      assert.ok(text.includes(`steward ${path.join(" ")}`), path.join(" "));
      for (const { name } of options) assert.ok(text.includes(`--${name}`), name);
      for (const { line } of examples) assert.ok(text.includes(line), line);
    }
    for (const { path, isHidden } of commands)
      if (isHidden) assert.ok(!text.includes(`steward ${path.join(" ")}`), path.join(" "));
  });

  it("can be copied from: hyphens of options are hyphens", () => {
    assert.match(text, /steward user rescue anna --dry-run/);
  });

  it("says version and date", () => {
    assert.match(text, /steward 1\.2\.3 +2026-11-20/);
  });
});

describe("the manual page of rescue", () => {
  const document = readFileSync(join(import.meta.dirname, "../../docs/rescue.md"), "utf8");
  const page = rescuePage(document, { version: "1.2.3", date: "" });
  const { shown: text, warnings } = formatted(page);
  const situations = [...document.matchAll(/^## (.+)\n[\s\S]*?^```sh rescue\n([\s\S]*?)\n```$/gm)];

  it("is what roff takes without a warning, and has no mark of Markdown", () => {
    assert.equal(warnings, "");
    assert.doesNotMatch(text, /```|\]\(|`/);
  });

  it("shows commands within a sentence in bold", () => {
    assert.match(page, /\\fBsteward doctor\\fR finds/);
    assert.match(page, /\\fBsteward system set time\.mode=observe\\fR has/);
  });

  it("has the thirteen situations, each with at most three lines, as they are typed", () => {
    assert.equal(situations.length, 13);
    for (const [, title = "", block = ""] of situations) {
      const lines = block.split("\n");
      assert.ok(lines.length <= 3, title);
      assert.ok(text.includes(title.toUpperCase()), title);
      for (const line of lines)
        assert.ok(
          text.split("\n").some((shownLine) => shownLine.trim() === line),
          line,
        );
    }
  });
});

describe("the table of commands", () => {
  it("has each command in one group of the help", () => {
    for (const command of shown) assert.ok(groupOf(commandTable, command), command.path.join(" "));
    const words = commandTable.groups.flatMap((group) => group.words);
    assert.deepEqual(words, [...new Set(words)]);
  });

  it("offers the documents that the agent has", () => {
    const offered = [...documentNames, ...lateDocumentNames];
    assert.deepEqual(
      offered,
      documentKinds({}).map(({ name }) => name),
    );
  });
});
