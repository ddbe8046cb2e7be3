import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type Entry,
  type Fault,
  peopleFromCsv,
  textOfCsv,
} from "../../src/console/users/adding/people-from-csv.ts";

const words = {
  columns: {
    username: "username",
    "user name": "username",
    display_name: "display_name",
    name: "display_name",
    role: "role",
    enabled: "enabled",
  },
  roles: { admin: "admin", operator: "operator", readonly: "readonly", bediener: "operator" },
} as const;

function read(text: string, known: readonly string[] = []) {
  return peopleFromCsv(textOfCsv(Buffer.from(text)), words, new Set(known));
}

const shortOf = ({ line, username, display_name, role, enabled }: Entry) =>
  [line, username, display_name, role, enabled].join("|");

/** The faults of the only line. */
function faultsOf(line: string): readonly Fault[] {
  const { entries } = read(line);
  assert.equal(entries.length, 1, line);
  return entries[0]?.faults ?? [];
}

describe("a list of people as CSV", () => {
  it("has user name, display name and role in this order, where no line names them", () => {
    const { entries, unused } = read("ana,Ana Ruiz,operator\nben\n\ncleo,,ADMIN\n");
    assert.deepEqual(entries.map(shortOf), [
      "1|ana|Ana Ruiz|operator|true",
      "2|ben||readonly|true",
      "4|cleo||admin|true",
    ]);
    assert.deepEqual([unused, entries.flatMap(({ faults }) => faults)], [[], []]);
  });

  it("may name its columns, in any order and in the page's language", () => {
    const { entries, unused } = read("Role;Name;Phone;User Name\nBediener;Ana;112;ana");
    assert.deepEqual(entries.map(shortOf), ["2|ana|Ana|operator|true"]);
    assert.deepEqual(unused, ["Phone"]);
  });

  it("is what the console itself exports, with a byte order mark, formulas disarmed and those who may not sign in", () => {
    const heads = "username,display_name,role,enabled,locked_until,id";
    const { entries, unused } = read(
      `\uFEFF${heads}\r\nana,'=Ana; '-1,admin,true,,usr_1\r\nben,,readonly,false,,usr_2\r\n`,
    );
    assert.deepEqual(entries.map(shortOf), ["2|ana|=Ana; -1|admin|true", "3|ben||readonly|false"]);
    assert.deepEqual(unused, ["locked_until", "id"]);
  });

  // RFC 4180 §2: quoted cells hold line breaks, commas and doubled quotation marks.
  it("has quoted cells as RFC 4180 has them, and counts the lines in them", () => {
    const { entries } = read('ana,"Ruiz, ""Ana""",operator\r\nben,"two\r\nlines",\r\ncleo,Cleo\r\n');
    assert.deepEqual(
      entries.map(({ line, display_name }) => [line, display_name]),
      [
        [1, 'Ruiz, "Ana"'],
        [2, "two\nlines"],
        [4, "Cleo"],
      ],
    );
    assert.deepEqual(
      entries.map(({ faults }) => faults),
      [[], ["display_name"], []],
    );
  });

  it("is separated by commas, semicolons or tabs, by its first line", () => {
    for (const line of ['ana,"Ruiz; Ana",operator', "ana;Ruiz, Ana;operator", "ana\tRuiz, Ana\toperator"])
      assert.match(read(line).entries.map(shortOf).join(), /^1\|ana\|Ruiz[,;] Ana\|operator\|true$/);
  });

  it("is what Excel writes: sep= in its first line, semicolons, UTF-16 with tabs, CR LF, and true in two languages", () => {
    const rows = ["User Name;Name;Enabled", " Ana ;Ruiz, Ana;WAHR", 'BEN;"Ben ""B""";FALSCH', ""];
    const expected = ["3|ana|Ruiz, Ana|readonly|true", '4|ben|Ben "B"|readonly|false'];
    for (const first of ["sep=;", '"sep=;"', "SEP=;"])
      assert.deepEqual(read([first, ...rows].join("\r\n")).entries.map(shortOf), expected, first);
    assert.deepEqual(
      read(["sep=|", ...rows].join("\r\n").replaceAll(";", "|")).entries.map(shortOf),
      expected,
    );
    const tabs = Buffer.from(`\ufeff${rows.join("\r\n").replaceAll(";", "\t")}`, "utf16le");
    const { entries } = peopleFromCsv(textOfCsv(tabs), words, new Set());
    assert.deepEqual(
      entries.map(shortOf),
      expected.map((line) => `${Number(line[0]) - 1}${line.slice(1)}`),
    );
  });

  it("is refused line by line, by the rules of the contract", () => {
    const refused: readonly [string, readonly Fault[]][] = [
      ["Äna", ["username"]],
      ["an", ["username"]],
      [`a${"b".repeat(32)}`, ["username"]],
      [",Ana", ["username"]],
      [`ana,${"x".repeat(65)}`, ["display_name"]],
      ["ana,turned \u202egnp", ["display_name"]],
      ["ana,Ana,boss", ["role"]],
      ["ana,Ana,constructor", ["role"]],
      ["ana,Ana,admin,yes", ["cells"]],
      ['ana,"Ana', ["quote"]],
      ["Äna,Ana,boss", ["username", "role"]],
    ];
    for (const [line, faults] of refused) assert.deepEqual(faultsOf(line), faults, line);
    assert.deepEqual(read("username,enabled\nana,OUI").entries[0]?.faults, ["enabled"]);
    // 64 letters beyond the first plane are 128 units of UTF-16.
    for (const line of [`ana,${"🏭".repeat(64)}`, "ana,Ana,,", " ana , Ana , admin "])
      assert.deepEqual(faultsOf(line), [], line);
  });

  it("names no person twice, and leaves out who is there already", () => {
    const { entries } = read("ana\nben\nana", ["ben"]);
    assert.deepEqual(
      entries.map(({ faults, isKnown }) => [faults, isKnown]),
      [
        [[], false],
        [[], true],
        [["twice"], false],
      ],
    );
  });

  it("comes to an end whatever it holds", () => {
    for (const text of ["", "\n\n", ",,,\n;;", '"', '""', '"a""', "\r\r\n\n", '"a"b"c\n"'])
      assert.ok(read(text).entries.length <= 3, JSON.stringify(text));
  });

  it("is no workbook", () => {
    assert.throws(() => textOfCsv(Buffer.from("PK\u0003\u0004…")), { message: /zip file, as spreadsheets/ });
  });

  it("is a file of UTF-8, UTF-16 with a mark, or Windows-1252", () => {
    const utf16 = new Uint8Array([0xff, 0xfe, ...Buffer.from("jürg", "utf16le")]);
    for (const bytes of [Buffer.from("\uFEFFjürg"), utf16, Buffer.from("jürg", "latin1")])
      assert.equal(textOfCsv(new Uint8Array(bytes)), "jürg");
  });
});
