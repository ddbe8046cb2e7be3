import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  longestReport,
  type RolloutReport,
  readReport,
  reportText,
} from "../../src/releases/rollout-report.ts";

const release: RolloutReport["releases"][number] = {
  ...{ kind: "rules", name: "base", version: "1.2.0-rc.1", state: "rolled_back" },
  ...{ wavePercent: 7.05, device: "0123456789ab" },
};
const report: RolloutReport = { agentVersion: "0.1.0", product: "3d-printer", releases: [release] };
const head = "steward/0.1.0;v=1, product/3d-printer";
const member = "rules/base/1.2.0-rc.1;state=rolled_back;wave=7.050;device=d0123456789ab";
const text = `${head}, ${member}`;

// RFC 8941 §3.3.4, §3.1.2: tokens, and parameters of only tokens, integers and decimals.
const token = "[A-Za-z*][\\w!#$%&'*+.^`|~:/-]*";
const item = `${token}(;[a-z*][a-z0-9_.*-]*=(${token}|-?\\d{1,12}(\\.\\d{1,3})?))*`;
const listOfTokens = new RegExp(`^${item}(, ${item})*$`);

describe("a report of a device", () => {
  it("is a list of tokens that needs no escaping in a log, without what is no token", () => {
    assert.equal(reportText(report), text);
    assert.match(text, listOfTokens);
    assert.match(text, /^[ !#-[\]-~]+$/);
    assert.equal(reportText({ ...report, releases: [{ ...release, name: "a\r\nX-Evil: b" }] }), head);
  });

  it("may be as long, and have as many members, as is read", () => {
    const withMembers = (count: number) => readReport([head, ...Array(count).fill(member)].join(", "));
    assert.deepEqual([withMembers(14)?.releases.length, withMembers(15)], [14, null]);
    assert.deepEqual(
      [readReport(text.padEnd(longestReport)), readReport(text.padEnd(longestReport + 1))],
      [report, null],
    );
  });

  for (const [what, given, wavePercent = 7.05] of [
    ["as it was written", text],
    ["with a blank before a parameter", `${head}, ${member.replaceAll(";", "; ")}`],
    ["with a place of more digits", text.replace("7.050", "12.345"), 12.345],
    ["with a place of no further digits", text.replace("7.050", "7"), 7],
    [
      "with later members and parameters",
      text.replace("state=", "battery=3;state=").concat(", firmware/boot/7;state=good"),
    ],
  ] as const)
    it(`is read ${what}`, () =>
      assert.deepEqual(readReport(given), { ...report, releases: [{ ...release, wavePercent }] }));

  for (const [what, bad] of [
    ["nothing", ""],
    ["a later form", text.replace("v=1", "v=2")],
    ["more behind the agent's form", text.replace("v=1", "v=11")],
    ["no product", "steward/0.1.0;v=1"],
    ["more than a product", text.replace("3d-printer", "3d-printer and more")],
    ["another word before the product", text.replace("product/", "byproduct/")],
    ["another word before the agent", `my${text}`],
  ] as const)
    it(`is none with ${what}`, () => assert.equal(readReport(bad), null));

  for (const [what, from, to] of [
    ["an unknown state", "rolled_back", "wonderful"],
    ["a place beyond the waves", "7.050", "100.0"],
    ["a place that is no number", "7.050", "1e1"],
    ["a device with more before it", "d0123456789ab", "xd0123456789ab"],
    ["a version with more behind it", "1.2.0-rc.1;", "1.2.0-rc.1 and more;"],
    ["a short device", "0123456789ab", "0123"],
    ["a long device", "0123456789ab", "0123456789abc"],
    ["an unknown kind", "rules/", "firmware/"],
    ["more before its kind", "rules/", "9rules/"],
    ["a state with more behind it", "rolled_back", "rolled_back=x"],
    ["no value of its state", "=rolled_back", ""],
    ["a name of another alphabet", "base", "bäse"],
  ] as const)
    it(`has no release with ${what}`, () =>
      assert.deepEqual(readReport(text.replace(from, to))?.releases, []));
});
