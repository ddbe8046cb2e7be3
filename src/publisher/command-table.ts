import type { Command, CommandGroup, CommandTable } from "../terminal/commands/command.ts";
import { globalOptionsWith } from "../terminal/commands/global-options.ts";
import { helpCommand } from "../terminal/commands/help.ts";
import { completionCommand } from "../terminal/completion/completion.ts";
import { addCommand } from "./add.ts";
import { checkCommand } from "./check.ts";
import { discardCommand } from "./discard.ts";
import { exportCommand } from "./export.ts";
import { initCommand } from "./init.ts";
import { inspectCommand } from "./inspect.ts";
import { keysCommand } from "./keys.ts";
import { pauseCommand, resumeCommand } from "./pause.ts";
import { pruneCommand } from "./prune.ts";
import { publishCommand } from "./publish.ts";
import { renewCommand } from "./renew.ts";
import { signCommand } from "./sign.ts";
import { watchCommand } from "./watch.ts";

const groups: readonly CommandGroup[] = [
  {
    title: "Publishing updates",
    words: [
      "init",
      "add",
      "sign",
      "publish",
      "renew",
      "prune",
      "export",
      "check",
      "discard",
      "inspect",
      "keys",
    ],
  },
  { title: "Roll-outs", words: ["watch", "pause", "resume"] },
  { title: "The command line", words: ["help", "completion"] },
];

const commands: readonly Command[] = [
  initCommand,
  addCommand,
  signCommand,
  publishCommand,
  renewCommand,
  pruneCommand,
  exportCommand,
  checkCommand,
  keysCommand,
  pauseCommand,
  resumeCommand,
  watchCommand,
  discardCommand,
  inspectCommand,
  helpCommand(groups, () => commandTable),
  completionCommand(() => commandTable),
];

/** The program `steward-publisher`. */
export const commandTable: CommandTable = {
  program: "steward-publisher",
  commands,
  groups,
  globalOptions: globalOptionsWith([]),
  firstSteps: [
    { line: "steward-publisher init site --product demo", what: "make a repository, with its keys" },
    {
      line: "steward-publisher add site base.tar.gz --kind rules --name base --release 1.0.0",
      what: "draft a release",
    },
    { line: "steward-publisher publish site", what: "verify the drafts as devices do, and publish them" },
    {
      line: "steward-publisher inspect site",
      what: "who signed what, until when, and what drafts still need",
    },
    { line: "steward-publisher help add", what: "the options of a command" },
  ],
  exitCodes: [
    ["0", "ok"],
    ["1", "failed"],
    ["2", "usage"],
    ["3", "not found"],
    ["4", "not permitted"],
    ["5", "conflict"],
    ["6", "invalid input"],
    [
      "10",
      "done, but published metadata expires soon (publish, renew, check), the archive is not valid for as long as --for says (export), or a roll-out was stopped (watch)",
    ],
    ["11", "no Node.js on this machine is suitable"],
    ["130", "interrupted"],
  ],
};
