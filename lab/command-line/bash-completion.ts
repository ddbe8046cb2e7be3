import { execFileSync } from "node:child_process";
import type { CommandTable } from "../../src/terminal/commands/command.ts";
import { completionScript } from "../../src/terminal/completion/completion.ts";

/** Separates two lines in the input and in the output of bash. */
const end = "\u0001";

/** Gives the words that bash offers after each line. The last word of a line is the one being typed. */
export function completeEach(
  table: CommandTable,
  lines: readonly (readonly string[])[],
  directory?: string,
): string[][] {
  const program = `${completionScript("bash", table)}
words=(${table.program})
for word in "$@"; do
  if [[ $word != ${end} ]]; then words+=("$word"); continue; fi
  COMP_WORDS=("\${words[@]}") COMP_CWORD=$((\${#words[@]} - 1)) words=(${table.program})
  _${table.program}
  printf '%s\n' "\${COMPREPLY[@]}" ${end}
done`;
  const given = lines.flatMap((words) => [...words, end]);
  const words = ["-c", program, "bash", ...given];
  const output = execFileSync("bash", words, { cwd: directory, encoding: "utf8" });
  const offered = output.split(`${end}\n`).map((text) => text.split("\n").filter(Boolean));
  return offered.slice(0, -1);
}
