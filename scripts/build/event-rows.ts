import { eventTypes } from "../../src/contract/event-types.ts";
import type { EventRows } from "../../src/contract/events/row.ts";

type Row = EventRows[string];

/** The table of all events, in whose place a program is given the text of `eventRows`. */
export const eventTable = /\/contract\/event-types\.ts$/;

/**
 * All events as a program needs them: with these members of each row, the types of equal rows as one text, which
 * compresses best. The schemas of the details are as long as all else, and only documents and tests read them.
 */
export function eventRows(members: readonly (keyof Row)[]): string {
  const types = new Map<string, string[]>();
  for (const [type, row] of Object.entries<Row>(eventTypes)) {
    const values = members.map((name) => JSON.stringify(row[name])).join();
    types.set(values, [...(types.get(values) ?? []), type]);
  }
  const rows = [...types].map(([values, names]) => `["${names.join(" ")}",${values}]`).join();
  // A program that does not ask for it drops it.
  const pure = "/* @__PURE__ */";
  const entries = `([types,${members}])=>types.split(" ").map((type)=>[type,{${members}}])`;
  return `export const eventTypes=${pure} Object.fromEntries(${pure} [${rows}].flatMap(${entries}));\n`;
}
