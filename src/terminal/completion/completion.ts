import type { Command, CommandTable } from "../commands/command.ts";
import { bashScript, zshScript } from "./completion-bash.ts";
import { fishScript } from "./completion-fish.ts";
import { completionModel } from "./completion-model.ts";

export const shells = ["bash", "zsh", "fish"] as const;

/** A script that completes commands, options and their fixed values, without calling the program. */
export function completionScript(shell: (typeof shells)[number], table: CommandTable): string {
  const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };
  return scripts[shell](completionModel(table));
}

/** The command that prints it. */
export function completionCommand(table: () => CommandTable | Promise<CommandTable>): Command {
  return {
    path: ["completion"],
    summary: "Print a completion script for a shell",
    positionals: [{ name: "SHELL", values: shells }],
    options: [],
    async run({ positionals, output }) {
      const shell = shells.find((candidate) => candidate === positionals[0]) ?? "bash";
      await output.text(completionScript(shell, await table()));
    },
  };
}
