import { commandTable } from "../../src/cli/command-table.ts";
import { parseAssignments } from "../../src/cli/system/setting-change.ts";
import { readRequest, splitLine } from "../../src/terminal/commands/command-line.ts";

/** The fault of the rest of a line behind `steward`, as it stands in a document; null: none. */
export function complaintAbout(line: string): string | null {
  const words = line
    .replaceAll(",…", "")
    .replace(/ [<>|].*/, "")
    .split(/\s+/)
    .map((word) => word.replaceAll(/["']/g, ""));
  try {
    const request = readRequest(splitLine(words, commandTable), commandTable);
    if (words.slice(0, 2).join(" ") === "system set" && request.kind === "command")
      parseAssignments(request.positionals);
    return null;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // A sentence may name a command without what it takes.
    return /^\S+ is missing\.$|^A command is missing\./m.test(message) ? null : message;
  }
}
