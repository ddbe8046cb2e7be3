import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatCell, formatFields, formatTable } from "../../src/cli/table.ts";

describe("formatTable", () => {
  it("aligns the columns under their heads, two blanks apart, without trailing blanks", () => {
    const text = formatTable({
      heads: ["NAME", "ROLE"],
      rows: [
        ["anna", "readonly"],
        ["bartholomew", "admin"],
      ],
    });
    assert.equal(text, "NAME         ROLE\nanna         readonly\nbartholomew  admin\n");
  });

  it("counts wide characters as two columns and combining ones as none", () => {
    const text = formatTable({
      heads: ["A", "B"],
      rows: [
        ["山田", 1],
        ["e\u0301", 2],
      ],
    });
    assert.equal(text, "A     B\n山田  1\ne\u0301     2\n");
  });

  it("keeps a line feed in a cell from forging a row", () => {
    const text = formatTable({ heads: ["NAME"], rows: [["anna\nroot"]] });
    assert.equal(text, "NAME\nanna\\x0aroot\n");
  });
});

describe("formatFields", () => {
  it("writes one line for each member", () => {
    assert.equal(
      formatFields([
        ["name", "anna"],
        ["role", "admin"],
      ]),
      "name  anna\nrole  admin\n",
    );
  });
});

describe("formatCell", () => {
  const cells: [given: unknown, expected: string][] = [
    [null, "-"],
    ["", "-"],
    [[], "-"],
    [true, "yes"],
    [false, "no"],
    [0, "0"],
    [["a", "b"], "a, b"],
    [[{ from: "01:00" }], '[{"from":"01:00"}]'],
  ];
  for (const [given, expected] of cells) {
    it(`writes ${JSON.stringify(given)} as ${expected}`, () => assert.equal(formatCell(given), expected));
  }
});
