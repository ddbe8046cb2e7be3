import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tables } from "./tables.ts";

const root = join(import.meta.dirname, "../..");

/** One document of the repository. */
export interface Page {
  /** Relative to the repository. */
  readonly path: string;
  readonly text: string;
}

/** Every document that a reader of the repository is led to: those at its top, and docs/. */
export function readPages(): Page[] {
  const tops = readdirSync(root).filter((name) => name.endsWith(".md"));
  const below = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`);
  return [...tops, ...below].sort().map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

/** The anchor of a heading, as GitHub makes it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

const marker = /^(<!-- begin table: ([a-z-]+) \(make docs\) -->\n)[\s\S]*?^(<!-- end table -->)$/gm;

/** The page with its tables as they are made now. Throws an Error for a table that there is not. */
export function withTables({ path, text }: Page): string {
  return text.replace(marker, (_, begin: string, name: string, end: string) => {
    const table = tables[name];
    if (table === undefined) throw new Error(`${path}: there is no table "${name}"`);
    return `${begin}${table()}\n${end}`;
  });
}

/** The text without its tables: what a person wrote. */
export function withoutTables(text: string): string {
  return text.replace(marker, "");
}

/** The names of the tables that a page holds. */
export function tablesOf({ text }: Page): string[] {
  return [...text.matchAll(marker)].map(([, , name = ""]) => name);
}
