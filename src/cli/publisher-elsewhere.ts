import { CommandError } from "../terminal/command-error.ts";
import { shellLine } from "../terminal/commands/consent.ts";
import type { Command } from "./client/command.ts";

/** `steward repo …` was the publisher's side of updates, which devices do not have: its words lead to where it is. */
export const publisherElsewhere: Command = {
  path: ["repo"],
  isHidden: true,
  isElsewhere: true,
  summary: "Publish updates, with the program steward-publisher",
  async run({ typed }) {
    const at = typed.indexOf("repo");
    const line = shellLine(["steward-publisher", ...typed.toSpliced(at, 1)]);
    throw new CommandError(
      2,
      `Updates are published by a program of its own, steward-publisher, which devices do not have. Install the package where releases are signed: apt install ./steward-publisher_*.deb\nThen type: ${line}`,
    );
  },
};
