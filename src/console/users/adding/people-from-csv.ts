import { isUsername, nameRules } from "../../../contract/shapes.ts";
import { asUsername } from "../../../contract/text/names.ts";
import { textOf } from "../../../contract/text/text-of.ts";
import { visibleLine } from "../../../contract/text/visible-text.ts";
import type { Role } from "../../../contract/types.ts";

/** The columns that are read, in their order where the first line does not name them. */
export type Column = "username" | "display_name" | "role" | "enabled";

const usualColumns: readonly Column[] = ["username", "display_name", "role"];

/** A reason that a line cannot be used. `twice`: an earlier line has the same user name. */
export type Fault = Column | "twice" | "quote" | "cells";

/** A line of the list, checked by the rules of the contract. */
export interface Entry {
  /** Its number in the text, from 1. */
  readonly line: number;
  readonly username: string;
  readonly display_name: string;
  readonly role: Role;
  readonly enabled: boolean;
  readonly faults: readonly Fault[];
  /** True: there is a user of this name, who stays as they are. */
  readonly isKnown: boolean;
}

/** The words that a list may use, in lower case; beside the contract's there are those of the page's language. */
export interface CsvWords {
  readonly columns: Readonly<Record<string, Column>>;
  readonly roles: Readonly<Record<string, Role>>;
}

/**
 * Reads a list of people as RFC 4180 has it, with commas, semicolons or tabs, and with lines that end with LF. `known`: the names of the present users. In the
 * result `unused` are columns that the first line names and nothing reads.
 */
export function peopleFromCsv(
  text: string,
  words: CsvWords,
  known: ReadonlySet<string>,
): { entries: readonly Entry[]; unused: readonly string[] } {
  const rows = rowsOf(text);
  const heads = rows[0]?.cells.map((cell) => wordIn(words.columns, cell)) ?? [];
  const hasHeads = heads.includes("username");
  const columns = hasHeads ? heads : usualColumns;
  const seen = new Set<string>();
  const entries = rows.slice(hasHeads ? 1 : 0).map((row) => {
    const entry = entryOf(row, columns, words.roles);
    const { username, faults } = entry;
    const isTwice = seen.has(username) && !faults.includes("username");
    seen.add(username);
    return {
      ...entry,
      faults: isTwice ? [...faults, "twice" as const] : faults,
      isKnown: known.has(username),
    };
  });
  const unused = hasHeads ? (rows[0]?.cells ?? []).filter((_, index) => heads[index] === undefined) : [];
  return { entries, unused };
}

interface Row {
  readonly line: number;
  readonly cells: readonly string[];
  /** True: a quotation mark was not closed. */
  readonly isOpen: boolean;
}

function entryOf(
  { line, cells, isOpen }: Row,
  columns: readonly (Column | undefined)[],
  roles: CsvWords["roles"],
): Omit<Entry, "isKnown"> {
  const cellOf = (column: Column): string => cells[columns.indexOf(column)] ?? "";
  const username = asUsername(cellOf("username"));
  const display_name = cellOf("display_name");
  // As in the form for one user, a person is a reader unless something else is said.
  const role = cellOf("role") === "" ? "readonly" : wordIn(roles, cellOf("role"));
  const enabled = cellOf("enabled").toLowerCase();
  const faults: readonly [Fault, boolean][] = [
    ["quote", isOpen],
    ["cells", cells.length > columns.length],
    ["username", !isUsername(username)],
    ["display_name", !isDisplayName(display_name)],
    ["role", role === undefined],
    ["enabled", !["", ...yes, ...no].includes(enabled)],
  ];
  return {
    line,
    username,
    display_name,
    role: role ?? "readonly",
    enabled: !no.includes(enabled),
    faults: faults.filter(([, isFaulty]) => isFaulty).map(([fault]) => fault),
  };
}

/** As spreadsheets write what is true, and what is not. */
const [yes, no] = [
  ["true", "wahr"],
  ["false", "falsch"],
];

/** The agent counts code points, as JSON Schema has it. */
function isDisplayName(text: string): boolean {
  return [...text].length <= nameRules.longestDisplayName && new RegExp(visibleLine).test(text);
}

function wordIn<T>(words: Readonly<Record<string, T>>, cell: string): T | undefined {
  const word = cell.toLowerCase();
  return Object.hasOwn(words, word) ? words[word] : undefined;
}

/** The lines that have something in them. A quoted cell may go over several. */
function rowsOf(text: string): Row[] {
  // Excel begins with a line that names the separator.
  const [declared = "", separator = separatorIn(text)] = /^"?sep=([^\w\n])"?(?:\n|$)/i.exec(text) ?? [];
  const end = `\\${separator}`;
  // A cell, quoted or not, and what ends it; a quotation mark that is not closed takes all that follows.
  const cell = new RegExp(`(?:"([^"]*(?:""[^"]*)*)("|$))?([^${end}\\n]*)(${end}|\\n|$)`, "y");
  cell.lastIndex = declared.length;
  const rows: Row[] = [];
  let line = declared === "" ? 1 : 2;
  while (cell.lastIndex < text.length) {
    const start = line;
    const cells: string[] = [];
    let isOpen = false;
    for (let ending = separator; ending === separator; ) {
      const [all = "", quoted, mark, rest = "", found = ""] = cell.exec(text) ?? [];
      cells.push(plain(quoted === undefined ? rest : quoted.replaceAll('""', '"') + rest));
      isOpen ||= mark === "";
      line += all.split("\n").length - 1;
      ending = found;
    }
    while (cells.at(-1) === "") cells.pop();
    if (cells.length > 0) rows.push({ line: start, cells, isOpen });
  }
  return rows;
}

/** Spreadsheets of one country write semicolons, those of another commas; a marked part of a table has tabs. */
function separatorIn(text: string): string {
  const [first = ""] = text.trimStart().split("\n", 1);
  const outside = first.replace(/"[^"]*"/g, "");
  return ["\t", ";"].find((one) => outside.includes(one)) ?? ",";
}

/** Without the apostrophes that keep a spreadsheet from taking a part of it for a formula (lists/csv.ts). */
function plain(cell: string): string {
  return cell.replace(/(^|[\s;,|"])'(?=[=+\-@＝＋－＠])/g, "$1").trim();
}

/** The text of a file, also in Windows-1252, as spreadsheets write it. Throws an Error for what is no text. */
export function textOfCsv(bytes: Uint8Array): string {
  return textOf(bytes, { refuse: (why) => new Error(why), otherwise: "windows-1252" });
}
