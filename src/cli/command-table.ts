import { CommandError } from "../terminal/command-error.ts";
import type { CommandTable } from "../terminal/commands/command.ts";
import { helpCommand } from "../terminal/commands/help.ts";
import { completionCommand } from "../terminal/completion/completion.ts";
import { escapeText } from "../terminal/escape.ts";
import type { Command } from "./client/command.ts";
import { apply } from "./configuration/apply.ts";
import { hashPasswordCommand } from "./configuration/hash-password.ts";
import { hostFileCommands } from "./configuration/host-file.ts";
import { sealCommands } from "./configuration/seal.ts";
import { doctor } from "./doctor/doctor.ts";
import { eventCommands } from "./events/events.ts";
import { namesOf } from "./live-names.ts";
import { steward } from "./program.ts";
import { publisherElsewhere } from "./publisher-elsewhere.ts";
import { logs } from "./system/logs.ts";
import { machineCommands } from "./system/machine.ts";
import { stateCommands } from "./system/state.ts";
import { status } from "./system/status.ts";
import { systemCommands } from "./system/system.ts";
import { version } from "./system/version.ts";
import { timeCommands } from "./time/time.ts";
import { tlsCommands } from "./tls/tls.ts";
import { updateCommands } from "./updates/update.ts";
import { announceRescue } from "./users/rescue-token.ts";
import { setupToken } from "./users/setup-token.ts";
import { tokenCommands } from "./users/token.ts";
import { userCommands } from "./users/user.ts";
import { sessionCommands } from "./users/user-sessions.ts";
import { twoFactorCommands } from "./users/user-two-factor.ts";

/** Listed for help and completion: the entry of the program runs the agent itself. */
const serve: Command = {
  path: ["serve"],
  summary: "Run the agent",
  positionals: [],
  options: [
    { name: "run", value: "DIR", isFile: true, summary: "directory of the socket and the setup token" },
    { name: "listen", value: "ADDRESS:PORT", summary: "loopback address and port for HTTP" },
    {
      name: "host-file",
      value: "FILE",
      isFile: true,
      summary: "the host file: root's decisions about this device, as JSON",
    },
    {
      name: "initial-settings",
      value: "FILE",
      isFile: true,
      summary: "settings for the first start, as JSON",
    },
    {
      name: "releases",
      value: "DIR",
      isFile: true,
      summary: "for a trial: the directory for releases; with --trust",
    },
    {
      name: "trust",
      value: "DIR",
      isFile: true,
      summary: "for a trial: the directory for the installer's own records",
    },
    { name: "steer-clock", summary: "let the agent set this host's clock; otherwise it only measures it" },
  ],
  async run() {
    throw new CommandError(1, "The agent is started by the program itself, not by this command line.");
  },
};

/** For completion scripts: each line has a name, a tab and its description. Empty where no agent answers. */
const liveNames: Command = {
  path: ["completion-names"],
  isHidden: true,
  summary: "Print the names that the agent knows",
  positionals: [{ name: "KIND", values: ["users", "tokens"] }],
  options: [],
  async run({ positionals: [kind], places, output }) {
    const names = await namesOf(kind === "tokens" ? "tokens" : "users", places).catch(() => []);
    await output.text(names.map(([name, what]) => `${escapeText(name)}\t${escapeText(what)}\n`).join(""));
  },
};

/** Every command. An option takes a value in all commands that have it, or in none: test/cli checks that. */
export const commands: readonly Command[] = [
  serve,
  ...userCommands,
  ...twoFactorCommands,
  ...sessionCommands,
  ...tokenCommands,
  hashPasswordCommand,
  status,
  doctor,
  apply,
  ...sealCommands,
  ...systemCommands,
  ...machineCommands,
  ...hostFileCommands,
  ...tlsCommands,
  ...timeCommands,
  ...updateCommands,
  ...eventCommands,
  ...stateCommands,
  publisherElsewhere,
  logs,
  setupToken,
  announceRescue,
  version,
  helpCommand(steward.groups, () => commandTable),
  completionCommand(() => commandTable),
  liveNames,
];

/** The program `steward`. */
export const commandTable: CommandTable<Command> = { ...steward, commands };
