import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Entry, peopleFromCsv, textOfCsv } from "../../src/console/users/adding/people-from-csv.ts";

const words = {
  columns: {
    ...({ username: "username", "user name": "username", display_name: "display_name" } as const),
    ...({ name: "display_name", role: "role", enabled: "enabled" } as const),
  },
  roles: { admin: "admin", operator: "operator", readonly: "readonly", bediener: "operator" },
} as const;

const read = (file: string | Uint8Array, known: readonly string[] = []) =>
  peopleFromCsv(textOfCsv(Buffer.from(file as Uint8Array)), words, new Set(known));

const shortOf = ({ line, username, display_name, role, enabled }: Entry) =>
  [line, username, display_name, role, enabled].join("|");

const excel = ["User Name;Name;Enabled", " Ana ;Ruiz, Ana;WAHR", 'BEN;"Ben ""B""";FALSCH', ""].join("\r\n");
const fromExcel = ["3|ana|Ruiz, Ana|readonly|true", '4|ben|Ben "B"|readonly|false'];
const oneUp = fromExcel.map((line) => `${Number(line[0]) - 1}${line.slice(1)}`);
const exported = "\uFEFFusername,display_name,role,enabled,locked_until,id\r\n";

describe("a list of people as CSV", () => {
  for (const [name, file, expected, unusedColumns = ""] of [
    [
      "of user name, display name and role in this order, where no line names them",
      "ana,Ana Ruiz,operator\nben\n\ncleo,,ADMIN\n",
      ["1|ana|Ana Ruiz|operator|true", "2|ben||readonly|true", "4|cleo||admin|true"],
    ],
    [
      "with names of its columns, in any order and in the page's language",
      "Role;Name;Phone;User Name\nBediener;Ana;112;ana",
      ...([["2|ana|Ana|operator|true"], "Phone"] as const),
    ],
    [
      "that the console itself exports, with a byte order mark and formulas disarmed",
      `${exported}ana,'=Ana; '-1,admin,true,,usr_1\r\nben,,readonly,false,,usr_2\r\n`,
      ...([["2|ana|=Ana; -1|admin|true", "3|ben||readonly|false"], "locked_until,id"] as const),
    ],
    // By its first line.
    ...[
      'ana,"Ruiz; Ana",operator',
      "ana;Ruiz; Ana;operator".replace("z;", "z,"),
      "ana\tRuiz, Ana\toperator",
    ].map(
      (line) =>
        [
          `separated by the sign of ${line}`,
          line,
          [`1|ana|Ruiz${line.includes('"') ? ";" : ","} Ana|operator|true`],
        ] as const,
    ),
    ...["sep=;", '"sep=;"', "SEP=;"].map(
      (first) => [`of Excel: ${first}`, `${first}\r\n${excel}`, fromExcel] as const,
    ),
    ["of Excel: sep=|", `sep=|\r\n${excel}`.replaceAll(";", "|"), fromExcel],
    ["of Excel: UTF-16 with tabs", Buffer.from(`\ufeff${excel.replaceAll(";", "\t")}`, "utf16le"), oneUp],
  ] as readonly (readonly [string, string | Uint8Array, readonly string[], string?])[])
    it(`may be one ${name}`, () => {
      const { entries, unused } = read(file);
      assert.deepEqual(entries.map(shortOf), expected);
      assert.equal(unused.join(), unusedColumns);
      assert.deepEqual(
        entries.flatMap(({ faults }) => faults),
        [],
      );
    });

  // RFC 4180 §2: quoted cells hold line breaks, commas and doubled quotation marks.
  it("has quoted cells as RFC 4180 has them, and counts the lines in them", () => {
    const { entries } = read('ana,"Ruiz, ""Ana""",operator\r\nben,"two\r\nlines",\r\ncleo,Cleo\r\n');
    const found = entries.map(({ line, display_name, faults }) => `${line} ${display_name} ${faults}`);
    assert.deepEqual(found, ['1 Ruiz, "Ana" ', "2 two\nlines display_name", "4 Cleo "]);
  });

  for (const [line, faults] of [
    ...["Äna", "an", `a${"b".repeat(32)}`, ",Ana"].map((one) => [one, "username"] as const),
    ...[`ana,${"x".repeat(65)}`, "ana,turned \u202egnp"].map((one) => [one, "display_name"] as const),
    ["ana,Ana,boss", "role"],
    ["ana,Ana,constructor", "role"],
    ["ana,Ana,admin,yes", "cells"],
    ['ana,"Ana', "quote"],
    ["Äna,Ana,boss", "username,role"],
    ["username,enabled\nana,OUI", "enabled"],
    // 64 letters beyond the first plane are 128 units of UTF-16.
    ...[`ana,${"🏭".repeat(64)}`, "ana,Ana,,", " ana , Ana , admin "].map((one) => [one, ""] as const),
  ] as const)
    it(`is refused line by line, by the rules of the contract: ${line.slice(0, 20)} ${faults}`, () => {
      const { entries } = read(line);
      assert.equal(entries.length, 1);
      assert.equal(entries[0]?.faults.join(), faults);
    });

  it("names no person twice, and leaves out who is there already", () => {
    const { entries } = read("ana\nben\nana", ["ben"]);
    const found = entries.map(({ faults, isKnown }) => `${faults} ${isKnown}`);
    assert.deepEqual(found, [" false", " true", "twice false"]);
  });

  it("comes to an end whatever it holds, and is no workbook", () => {
    for (const text of ["", "\n\n", ",,,\n;;", '"', '""', '"a""', "\r\r\n\n", '"a"b"c\n"'])
      assert.ok(read(text).entries.length <= 3, JSON.stringify(text));
    assert.throws(() => textOfCsv(Buffer.from("PK\u0003\u0004…")), { message: /zip file, as spreadsheets/ });
  });

  it("is a file of UTF-8, UTF-16 with a mark, or Windows-1252", () => {
    const utf16 = [0xff, 0xfe, ...Buffer.from("jürg", "utf16le")];
    for (const bytes of [Buffer.from("\uFEFFjürg"), utf16, Buffer.from("jürg", "latin1")])
      assert.equal(textOfCsv(new Uint8Array(bytes)), "jürg");
  });
});
