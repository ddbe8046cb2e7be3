import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readPages, withoutTables } from "../../scripts/docs/pages.ts";
import { complaintAbout } from "./documented-command.ts";

/** Finds commands between backquotes in the middle of a sentence; tests of their own type the blocks. */
function inlineCommands(text: string): string[] {
  const prose = withoutTables(text).replace(/^```[\s\S]*?^```$/gm, "");
  return [...prose.matchAll(/`(?:\.\/var\/|sudo )?(steward(?:-publisher)? [^`]+)`/g)].map(
    ([, line = ""]) => line,
  );
}

describe("a command in the middle of a sentence of the documents", () => {
  const lines = [...new Set(readPages().flatMap(({ text }) => inlineCommands(text)))];

  it("is looked for", () => assert.ok(lines.length > 30, `${lines.length} were found`));

  for (const line of lines) {
    it(`\`${line}\` is one that there is, with options and settings that it takes`, () => {
      assert.equal(complaintAbout(line), null);
    });
  }

  it("is noticed when there is none of that name, option or setting", () => {
    assert.match(complaintAbout("steward user befriend anna") ?? "", /There is no command "user befriend"/);
    assert.match(complaintAbout("steward-publisher befriend") ?? "", /There is no command "befriend"/);
    assert.match(complaintAbout("steward user add anna --sudo") ?? "", /has no option --sudo/);
    assert.match(complaintAbout("steward system set time.zone=UTC") ?? "", /There is no setting "time.zone"/);
  });
});
