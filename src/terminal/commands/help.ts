import type { Command, CommandGroup, CommandTable } from "./command.ts";
import { groupHelp } from "./usage.ts";

/** For the table and its completion; the parser handles it before: `help WORDS` is `WORDS --help`. */
export function helpCommand(
  groups: readonly CommandGroup[],
  table: () => CommandTable | Promise<CommandTable>,
): Command {
  const suggestions = groups.flatMap(({ words }) => words);
  return {
    path: ["help"],
    summary: "Show the help of a command or a group",
    positionals: [{ name: "COMMAND", isOptional: true, isRepeated: true, suggestions }],
    options: [],
    async run({ output }) {
      await output.text(groupHelp(await table(), []));
    },
  };
}
