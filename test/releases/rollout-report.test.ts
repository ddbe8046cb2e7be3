import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  longestReport,
  type RolloutReport,
  readReport,
  reportText,
} from "../../src/releases/rollout-report.ts";

const report: RolloutReport = {
  agentVersion: "0.1.0",
  product: "3d-printer",
  releases: [
    {
      kind: "rules",
      name: "base",
      version: "1.2.0-rc.1",
      state: "rolled_back",
      wavePercent: 7.05,
      device: "0123456789ab",
    },
  ],
};
const text =
  "steward/0.1.0;v=1, product/3d-printer, rules/base/1.2.0-rc.1;state=rolled_back;wave=7.050;device=d0123456789ab";

// RFC 8941 §3.3.4, §3.1.2: tokens, and parameters of only tokens, integers and decimals.
const token = "[A-Za-z*][\\w!#$%&'*+.^`|~:/-]*";
const member = `${token}(;[a-z*][a-z0-9_.*-]*=(${token}|-?\\d{1,12}(\\.\\d{1,3})?))*`;
const listOfTokens = new RegExp(`^${member}(, ${member})*$`);

describe("a report of a device", () => {
  it("is a list of tokens that needs no escaping in a log, and is read as it was written", () => {
    assert.equal(reportText(report), text);
    assert.match(text, listOfTokens);
    assert.match(text, /^[ !#-[\]-~]+$/);
    assert.deepEqual(readReport(text), report);
  });

  it("leaves out what is no token, and keeps the rest", () => {
    const strange = { ...report.releases[0], name: "a\r\nX-Evil: b" } as RolloutReport["releases"][number];
    assert.equal(reportText({ ...report, releases: [strange] }), "steward/0.1.0;v=1, product/3d-printer");
  });

  it("may be as long, and have as many members, as is read", () => {
    assert.deepEqual(readReport(text.padEnd(longestReport)), report);
    const [head, product, member] = text.split(", ");
    const full = [head, product, ...Array.from({ length: 14 }, () => member)];
    assert.equal(readReport(full.join(", "))?.releases.length, 14);
    assert.equal(readReport([...full, member].join(", ")), null);
  });

  it("is read with a blank before a parameter, and with places of any number of digits", () => {
    assert.deepEqual(readReport(text.replaceAll(";", "; ").replace("; v", ";v")), report);
    for (const [place, wavePercent] of [
      ["12.345", 12.345],
      ["7", 7],
    ] as const)
      assert.equal(readReport(text.replace("7.050", place))?.releases[0]?.wavePercent, wavePercent);
  });

  it("may have members and parameters that came later", () => {
    const later = text.replace("state=", "battery=3;state=").concat(", firmware/boot/7;state=good");
    assert.deepEqual(readReport(later), report);
  });

  for (const [what, bad] of [
    ["nothing", ""],
    ["a later form", text.replace("v=1", "v=2")],
    ["no product", "steward/0.1.0;v=1"],
    ["more than a product", text.replace("3d-printer", "3d-printer and more")],
    ["another word before the product", text.replace("product/", "byproduct/")],
    ["another word before the agent", `my${text}`],
    ["more behind the agent's form", text.replace("v=1", "v=11")],
    ["too many members", [text, ...Array.from({ length: 20 }, () => "rules/base/1.0.0")].join(", ")],
    ["more characters than any device sends", `${text}${" ".repeat(longestReport)}`],
  ] as const) {
    it(`is none with ${what}`, () => assert.equal(readReport(bad), null));
  }

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
  ] as const) {
    it(`has no release with ${what}`, () =>
      assert.deepEqual(readReport(text.replace(from, to))?.releases, []));
  }
});
