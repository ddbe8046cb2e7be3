import { wholeTable } from "../../src/cli/command-table.ts";
import { parseAssignments } from "../../src/cli/system/setting-change.ts";
import { commandTable as publisher } from "../../src/publisher/command-table.ts";
import type { CommandTable } from "../../src/terminal/commands/command.ts";
import { readRequest, splitLine } from "../../src/terminal/commands/command-line.ts";

const steward = await wholeTable();

/** The programs that documents have people type, by the words that start them. */
const programs: Readonly<Record<string, CommandTable>> = { steward, "steward-publisher": publisher };

/** The fault of a line that begins with one of these programs, as it is in a document; null: none. */
export function complaintAbout(line: string): string | null {
  const [program = "", ...words] = line
    .replaceAll(",…", "")
    .replace(/ [<>|].*/, "")
    .split(/\s+/)
    .map((word) => word.replaceAll(/["']/g, ""));
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
