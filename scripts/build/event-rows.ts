import type { EventRows } from "../../src/contract/events/row.ts";

/** The subjects of events (src/contract/events). */
export const eventSubject = /\/contract\/events\/[a-z-]+\.ts$/;

/**
 * A subject's events as a program needs them: with these members of each row, as plain data, and equal rows once. The
 * schemas of the details are as long as all else, and only documents and tests read them.
 */
export async function eventRows(
  path: string,
  members: readonly (keyof EventRows[string])[],
): Promise<string> {
  const tables: Readonly<Record<string, EventRows>> = await import(path);
  const shared: string[] = [];
  const nameOf = (row: EventRows[string]): string => {
    const text = JSON.stringify(Object.fromEntries(members.map((name) => [name, row[name]])));
    if (!shared.includes(text)) shared.push(text);
    return `row${shared.indexOf(text)}`;
  };
  const written = Object.entries(tables).map(([name, rows]) => {
    const entries = Object.entries(rows).map(([type, row]) => `${JSON.stringify(type)}:${nameOf(row)}`);
    return `export const ${name}={${entries.join(",")}};`;
  });
  return [...shared.map((text, index) => `const row${index}=${text};`), ...written].join("\n");
}
