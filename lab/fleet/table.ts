/** The table that `make fleet-test` ends with: the tests add rows while they run, in a file that all of them share. */
import { appendFileSync, readFileSync } from "node:fs";
import { linesOf } from "../basics/table.ts";

/** One fact that a subject has measured or shown. */
export interface FleetRow {
  /** The subject, as `SUBJECTS` names it. */
  readonly subject: string;
  readonly what: string;
  /** The value with its unit. */
  readonly value: string;
}

/** Adds a row; outside of `make fleet-test`, where nothing prints a table, it does nothing. */
export function addRow(row: FleetRow): void {
  const file = process.env.STEWARD_FLEET_TABLE;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(row)}\n`);
}

/** The rows of `file` in columns, sorted by their subject. */
export function tableOf(file: string): string {
  const rows = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as FleetRow)
    .toSorted((one, other) => one.subject.localeCompare(other.subject));
  return linesOf(rows.map(({ subject, what, value }) => [subject, what, value])).join("\n");
}
