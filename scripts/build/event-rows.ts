import { eventTypes } from "../../src/contract/event-types.ts";
import type { EventRows } from "../../src/contract/events/row.ts";

type Row = EventRows[string];

/** The table of all events, in whose place a program is given the text of `eventRows`. */
export const eventTable = /\/contract\/event-types\.ts$/;

/**
 * All events as a program needs them: with these members of each row, as plain data, and equal rows once. The schemas of
 * the details are as long as all else, and only documents and tests read them.
 */
export function eventRows(members: readonly (keyof Row)[]): string {
  const shared: string[] = [];
  const nameOf = (row: Row): string => {
    const text = JSON.stringify(Object.fromEntries(members.map((name) => [name, row[name]])));
    if (!shared.includes(text)) shared.push(text);
    return `row${shared.indexOf(text)}`;
  };
  const entries = Object.entries<Row>(eventTypes).map(
    ([type, row]) => `${JSON.stringify(type)}:${nameOf(row)}`,
  );
  const rows = shared.map((text, index) => `const row${index}=${text};\n`);
  return `${rows.join("")}export const eventTypes={${entries.join(",")}};\n`;
}
