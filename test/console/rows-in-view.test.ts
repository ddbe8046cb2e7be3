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
    assert.equal(csvOf(["a"], [cells]).split("\r\n")[1], "'=1+1,'+49,'-1,'@SUM(A1),'\t=1,a=b,-5");
  });

  it("is named by the device and the day", () => {
    const at = Date.parse("2026-11-22T23:59:59Z");
    assert.equal(csvName("users", "Edge 7 / Köln", at), "Edge-7-Koln-users-2026-11-22.csv");
    assert.equal(csvName("events", "///", at), "steward-events-2026-11-22.csv");
  });
});
