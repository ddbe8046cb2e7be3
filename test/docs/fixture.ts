import { wholeTable } from "../../src/cli/command-table.ts";
import { parseAssignments } from "../../src/cli/system/setting-change.ts";
import { commandTable as publisher } from "../../src/publisher/command-table.ts";
import type { CommandTable } from "../../src/terminal/commands/command.ts";
import { readRequest, splitLine } from "../../src/terminal/commands/command-line.ts";

/** The fenced blocks of a page. The text behind the fence says their kind: `sh`, `sh appliance`, `json`…; empty: nothing. */
export function blocksOf(page: string): { readonly kind: string; readonly text: string }[] {
  const blocks = page.matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm);
  return [...blocks].map(([, kind = "", text = ""]) => ({ kind, text }));
}

/** The programs that documents have people type, by the words that start them. */
const programs: Readonly<Record<string, CommandTable>> = {
  ...{ steward: await wholeTable(), "steward-publisher": publisher },
};

/** The fault of a line that begins with one of these programs, as it is in a document; null: none. */
export function complaintAbout(line: string): string | null {
  const text = line.replaceAll(",…", "").replace(/ [<>|].*/, "");
  const [program = "", ...words] = text.replaceAll(/["']/g, "").split(/\s+/);
  const table = programs[program];
  if (table === undefined) return `${program} is no program of Steward`;
  try {
    const request = readRequest(splitLine(words, table), table);
    if (words.slice(0, 2).join(" ") === "system set" && request.kind === "command")
      parseAssignments(request.positionals);
    return null;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // A sentence may name a command without what it takes.
    return /^\S+ is missing\.$|^A command is missing\./m.test(message) ? null : message;
  }
}
