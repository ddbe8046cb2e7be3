import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, it } from "node:test";
import { createOutput } from "../../src/terminal/output.ts";
import { formatCell, formatFields, formatTable } from "../../src/terminal/table.ts";

describe("formatTable", () => {
  for (const [what, heads, rows, text] of [
    [
      "aligns the columns under their heads, two blanks apart, without trailing blanks",
      ...([
        ["NAME", "ROLE"],
        [
          ["anna", "readonly"],
          ["bartholomew", "admin"],
        ],
      ] as const),
      "NAME         ROLE\nanna         readonly\nbartholomew  admin\n",
    ],
    [
      "counts wide characters as two columns and combining ones as none",
      ...([
        ["A", "B"],
        [
          ["山田", 1],
          ["e\u0301", 2],
        ],
        "A     B\n山田  1\ne\u0301     2\n",
      ] as const),
    ],
    ["keeps a line feed in a cell from forging a row", ["NAME"], [["anna\nroot"]], "NAME\nanna\\x0aroot\n"],
  ] as const)
    it(what, () => assert.equal(formatTable({ heads, rows }), text));

  const wide = {
    heads: ["ID", "SUBJECT", "WHAT"],
    rows: [
      [
        "tok_0123456789abcdef",
        "a name of thirty-two columns, yes",
        "an even longer text that nothing could hold here",
      ],
      ["tok_1", "short", "山田山田山田山田山田山田山田山田山田山田山田山田"],
    ],
  };

  it("is cut to a terminal's width, the widest columns first, the one that names the row never", () => {
    const text = formatTable(wide, 60);
    assert.equal(
      text,
      [
        "ID                    SUBJECT             WHAT\n",
        "tok_0123456789abcdef  a name of thirty-…  an even longer te…\n",
        "tok_1                 short               山田山田山田山田…\n",
      ].join(""),
    );
  });

  it("is not cut below what can be read, nor where it fits, nor without a width", () => {
    const whole = formatTable(wide);
    assert.equal(formatTable(wide, 200), whole);
    assert.match(formatTable(wide, 10), /^tok_0123456789abcdef {2}a name … {2}an even…$/m);
    assert.ok(whole.includes("an even longer text that nothing could hold here"));
  });

  it("is cut for a terminal and not for a pipe", async () => {
    const shown = async (columns: number | undefined): Promise<string> => {
      const stdout = Object.assign(new PassThrough(), { columns });
      const streams = { stdout, stderr: new PassThrough() };
      await createOutput({ ...streams, isJson: false, isQuiet: false, program: "steward" }).table({}, wide);
      return String(stdout.read());
    };
    assert.equal(await shown(undefined), formatTable(wide));
    // A terminal of no known size.
    assert.equal(await shown(0), formatTable(wide));
    assert.equal(await shown(60), formatTable(wide, 60));
  });
});

describe("formatFields", () => {
  it("writes one line for each member", () =>
    assert.equal(
      formatFields([
        ["name", "anna"],
        ["role", "admin"],
      ]),
      "name  anna\nrole  admin\n",
    ));
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
