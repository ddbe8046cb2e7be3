import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { csvName, csvOf } from "../../src/console/lists/csv.ts";
import { piecesOf, rowsBetween } from "../../src/console/lists/rows-in-view.ts";

describe("the rows of a list that are drawn", () => {
  const heights = Array.from({ length: 10_000 }, (_, index) => (index % 2 === 0 ? 40 : 60));

  it("are those between two heights, of ten thousand", () => {
    assert.deepEqual(rowsBetween(heights, { top: -500, bottom: 200 }), { from: 0, to: 4 });
    assert.deepEqual(rowsBetween(heights, { top: 100_000, bottom: 100_100 }), { from: 2_000, to: 2_002 });
    assert.deepEqual(rowsBetween(heights, { top: 499_999, bottom: 600_000 }), { from: 9_999, to: 10_000 });
    assert.deepEqual(rowsBetween([], { top: 0, bottom: 900 }), { from: 0, to: 0 });
  });

  it("have gaps as high as all that is left out, and one row that stays", () => {
    const all = heights.reduce((sum, height) => sum + height, 0);
    for (const kept of [-1, 7, 2_001, 9_999]) {
      const pieces = piecesOf(heights, { from: 2_000, to: 2_010 }, kept);
      const indices = pieces.flatMap((piece) => ("index" in piece ? [piece.index] : []));
      assert.equal(indices.length, kept === 7 || kept === 9_999 ? 11 : 10);
      const total = pieces.reduce(
        (sum, piece) => sum + ("index" in piece ? (heights[piece.index] ?? 0) : piece.height),
        0,
      );
      assert.equal(total, all, "the page would jump");
    }
  });
});

describe("a table for spreadsheets", () => {
  it("quotes what RFC 4180 has quoted, and says first that it is UTF-8", () => {
    assert.equal(
      csvOf(
        ["a", "b"],
        [
          ['x,"y"', "two\nlines"],
          [true, null],
        ],
      ),
      '\uFEFFa,b\r\n"x,""y""","two\nlines"\r\ntrue,\r\n',
    );
  });

  it("has no cell that a spreadsheet would take for a formula; a number stays one", () => {
    const cells = ["=1+1", "+49", "-1", "@SUM(A1)", "\t=1", "a=b", -5];
    assert.equal(csvOf(["a"], [cells]).split("\r\n")[1], "'=1+1,'+49,'-1,'@SUM(A1),\t'=1,a=b,-5");
  });

  const other: readonly (readonly [string, string, string])[] = [
    ["a semicolon", "x;=1+1", "x;'=1+1"],
    ["a semicolon and blanks", "x; \u00a0- 1", "x; \u00a0'- 1"],
    ["a tab", "x\t@SUM(A1)", "x\t'@SUM(A1)"],
    ["a blank", "x =1+1 -2", "x '=1+1 '-2"],
    ["a comma", "x,=1+1", '"x,\'=1+1"'],
    ["a vertical bar", "x|+1", "x|'+1"],
    ["a quotation mark", 'x;"=1+1"', `"x;""'=1+1"""`],
    ["an end of line", "x\r\n=1+1", '"x\r\n\'=1+1"'],
    ["a blank at the beginning", " =1+1", " '=1+1"],
    ["nothing, as a sign of full width", "＝1+1", "'＝1+1"],
    ["a semicolon, as a sign of full width", "x;＠SUM(A1)", "x;'＠SUM(A1)"],
  ];
  for (const [where, cell, safe] of other)
    it(`has no formula behind ${where}, where a spreadsheet of another country begins a cell`, () => {
      assert.equal(csvOf(["a"], [[cell]]), `\uFEFFa\r\n${safe}\r\n`);
    });

  it("leaves signs in words as they are, and reads a line of separators at once", () => {
    const [plain, blanks] = ["a, c-d e=f", '\t \u00a0;"'.repeat(50_000)];
    assert.equal(csvOf(["a"], [[plain]]), `\uFEFFa\r\n"${plain}"\r\n`);
    assert.equal(csvOf(["a"], [[blanks]]), `\uFEFFa\r\n"${blanks.replaceAll('"', '""')}"\r\n`);
  });

  it("is named by the device and the day", () => {
    const at = Date.parse("2026-11-22T23:59:59Z");
    assert.equal(csvName("users", "Edge 7 / Köln", at), "Edge-7-Koln-users-2026-11-22.csv");
    assert.equal(csvName("events", "///", at), "steward-events-2026-11-22.csv");
  });
});
