import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandTable } from "../../src/terminal/commands/command.ts";
import { completionScript, shells } from "../../src/terminal/completion/completion.ts";

/** Writes the completion scripts of a program into `completion` below `dist`. */
export function writeCompletion(dist: string, table: CommandTable): void {
  mkdirSync(join(dist, "completion"));
  for (const shell of shells)
    writeFileSync(join(dist, `completion/${table.program}.${shell}`), completionScript(shell, table));
}
