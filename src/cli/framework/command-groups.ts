import type { Command } from "./command.ts";

/** Commands that belong together in help and manual, by their first words. */
export interface CommandGroup {
  readonly title: string;
  readonly words: readonly string[];
}

/** Every first word of the command table is in one of them: test/cli checks that. */
export const commandGroups: readonly CommandGroup[] = [
  {
    title: "Users and their access",
    words: ["user", "token", "hash-password", "seal", "seal-key", "setup-token"],
  },
  {
    title: "The device",
    words: [
      ...["status", "doctor", "apply", "system", "host-file", "tls", "time", "logs", "events"],
      ...["reboot", "power-off", "factory-reset", "version"],
    ],
  },
  { title: "Updates", words: ["update"] },
  { title: "Publishing updates", words: ["repo"] },
  { title: "The agent and its state", words: ["serve", "state"] },
  { title: "The command line", words: ["help", "completion"] },
];

/** undefined: in none. */
export function groupOf({ path }: Pick<Command, "path">): CommandGroup | undefined {
  return commandGroups.find(({ words }) => words.includes(path[0] ?? ""));
}
