import { greeting } from "../client/connection.ts";
import { deviceNow } from "../client/device-time.ts";

type Cell = string | number | boolean | null;

/** Begins the file: without it, some spreadsheets read UTF-8 as the letters of one country. */
const byteOrderMark = "\uFEFF";

/**
 * A spreadsheet takes a cell that begins with one of the signs for a formula, also with those of full width (OWASP, CSV
 * injection). Cells begin where its country or its user says: at semicolons, tabs, vertical bars or blanks as well, and a
 * quotation mark in the middle of a line protects nothing.
 */
const formulaStarts = /(^|[\s;,|"])(?=[=+\-@＝＋－＠])/g;

/** RFC 4180, with the heads as its first line. What would be a formula gets an apostrophe before it. */
export function csvOf(heads: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [heads, ...rows].map((cells) => cells.map(cellOf).join(","));
  return `${byteOrderMark}${lines.join("\r\n")}\r\n`;
}

function cellOf(cell: Cell): string {
  const safe = typeof cell === "number" ? `${cell}` : `${cell ?? ""}`.replace(formulaStarts, "$1'");
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** `edge-7-users-2026-11-22.csv`: the device, what it is about, and the day by the device's clock. */
export function csvName(
  about: string,
  device = greeting.read()?.device_name ?? "",
  at = deviceNow(),
): string {
  const name = device
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
  return `${name || "steward"}-${about}-${new Date(at).toISOString().slice(0, 10)}.csv`;
}

type Page<Item> = { readonly items: readonly Item[]; readonly next_cursor: string | null };

export async function everyItem<Item>(
  read: (cursor: string | undefined) => Promise<Page<Item>>,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | undefined | null; cursor !== null; ) {
    const page: Page<Item> = await read(cursor);
    items.push(...page.items);
    cursor = page.next_cursor;
  }
  return items;
}
