import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readRequest, splitLine } from "../../src/cli/command-line.ts";
import { commands } from "../../src/cli/command-table.ts";
import { parseAssignments } from "../../src/cli/setting-change.ts";

const root = join(import.meta.dirname, "../..");
const documents = ["README.md", ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`)].filter(
  (name) => name.endsWith(".md"),
);

/** What documents say between backquotes in the middle of a sentence; the blocks are typed by a test of their own. */
function inlineCommands(text: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, "");
  return [...prose.matchAll(/`(?:\.\/var\/|sudo )?steward ([^`]+)`/g)].map(([, line = ""]) => line);
}

describe("a command in the middle of a sentence of the documents", () => {
  const lines = [
    ...new Set(documents.flatMap((name) => inlineCommands(readFileSync(join(root, name), "utf8")))),
  ];

  it("is looked for", () => assert.ok(lines.length > 30, `${lines.length} were found`));

  for (const line of lines) {
    it(`\`steward ${line}\` is one that there is, with options and settings that it takes`, () => {
      const words = line
        .replaceAll(",…", "")
        .replace(/ [<>|].*/, "")
        .split(/\s+/);
      try {
        const request = readRequest(splitLine(words, commands), commands);
        if (words.slice(0, 2).join(" ") === "system set" && request.kind === "command")
          parseAssignments(request.positionals);
      } catch (error) {
        // A sentence may name a command without what it takes.
        assert.match(
          error instanceof Error ? error.message : "",
          /^\S+ is missing\.$|^A command is missing\./m,
        );
      }
    });
  }
});
