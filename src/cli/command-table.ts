import { CommandError } from "../terminal/command-error.ts";
import type { CommandTable } from "../terminal/commands/command.ts";
import { readRequest, splitLine } from "../terminal/commands/command-line.ts";
import { helpCommand } from "../terminal/commands/help.ts";
import { escapeText } from "../terminal/escape.ts";
import type { Command, CommandRow } from "./client/command.ts";
import { steward } from "./program.ts";

/** Listed for help and completion: the entry of the program runs the agent itself. */
const serve: Command = {
  path: ["serve"],
  summary: "Run the agent",
  options: [
    { name: "run", value: "DIR", summary: "directory of the socket and the setup token" },
    { name: "listen", value: "ADDRESS:PORT", summary: "loopback address and port for HTTP" },
    {
      name: "host-file",
      value: "FILE",
      summary: "the host file: root's decisions about this device, as JSON",
    },
    { name: "initial-settings", value: "FILE", summary: "settings for the first start, as JSON" },
    { name: "releases", value: "DIR", summary: "for a trial: the directory for releases; with --trust" },
    { name: "trust", value: "DIR", summary: "for a trial: the directory for the installer's own records" },
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
  async run({ positionals: [kind], places, output }) {
    const { namesOf } = await import("./live-names.ts");
    const names = await namesOf(kind === "tokens" ? "tokens" : "users", places).catch(() => []);
    await output.text(names.map(([name, what]) => `${escapeText(name)}\t${escapeText(what)}\n`).join(""));
  },
};

/** Commands whose files are loaded together, and the first words of their lines. */
interface Part {
  readonly words: readonly string[];
  load(): Promise<readonly Command[]>;
}

/** Every command. An option takes a value in all commands that have it, or in none: test/cli checks that. */
export const parts: readonly Part[] = [
  { words: ["serve"], load: async () => [serve] },
  { words: ["user"], load: async () => (await import("./users/user.ts")).userCommands },
  { words: ["token"], load: async () => (await import("./users/token.ts")).tokenCommands },
  {
    words: ["hash-password"],
    load: async () => [(await import("./configuration/hash-password.ts")).hashPasswordCommand],
  },
  { words: ["status"], load: async () => [(await import("./system/status.ts")).status] },
  { words: ["history"], load: async () => [(await import("./system/history.ts")).history] },
  { words: ["doctor"], load: async () => [(await import("./doctor/doctor.ts")).doctor] },
  { words: ["apply"], load: async () => [(await import("./configuration/apply.ts")).apply] },
  { words: ["backup"], load: async () => [(await import("./backup/backup.ts")).backup] },
  { words: ["seal", "seal-key"], load: async () => (await import("./configuration/seal.ts")).sealCommands },
  {
    words: ["system", "reboot", "power-off", "factory-reset"],
    load: async () => [
      ...(await import("./system/system.ts")).systemCommands,
      ...(await import("./system/machine.ts")).machineCommands,
    ],
  },
  { words: ["host-file"], load: async () => (await import("./configuration/host-file.ts")).hostFileCommands },
  { words: ["tls"], load: async () => (await import("./tls/tls.ts")).tlsCommands },
  { words: ["product"], load: async () => (await import("./product/product.ts")).productCommands },
  { words: ["notify"], load: async () => (await import("./notify/notify.ts")).notifyCommands },
  { words: ["time"], load: async () => (await import("./time/time.ts")).timeCommands },
  { words: ["update"], load: async () => (await import("./updates/update.ts")).updateCommands },
  { words: ["events"], load: async () => (await import("./events/events.ts")).eventCommands },
  { words: ["state"], load: async () => (await import("./system/state.ts")).stateCommands },
  { words: ["restore"], load: async () => [(await import("./backup/restore.ts")).restore] },
  { words: ["logs"], load: async () => [(await import("./system/logs.ts")).logs] },
  { words: ["setup-token"], load: async () => [(await import("./users/setup-token.ts")).setupToken] },
  {
    words: ["announce-rescue"],
    load: async () => [(await import("./users/rescue-token.ts")).announceRescue],
  },
  { words: ["version"], load: async () => [(await import("./system/version.ts")).version] },
  { words: ["help"], load: async () => [helpCommand(steward.groups, wholeTable)] },
  {
    words: ["completion"],
    load: async () => [(await import("../terminal/completion/completion.ts")).completionCommand(wholeTable)],
  },
  { words: ["completion-names"], load: async () => [liveNames] },
];

/** The program `steward`, with every command. */
export async function wholeTable(): Promise<CommandTable<CommandRow>> {
  const commands: CommandRow[] = [];
  for (const part of parts) commands.push(...(await rowsOf(part)));
  return { ...steward, commands };
}

/** The commands that this line can be read with: for help, and for a mistake, all, since what is printed names them. */
export async function tableFor(argv: readonly string[]): Promise<CommandTable<CommandRow>> {
  const [first = ""] = splitLine(argv, { ...steward, commands: [] }).words;
  const part = parts.find(({ words }) => words.includes(first));
  if (part === undefined) return wholeTable();
  const table = { ...steward, commands: await rowsOf(part) };
  return isCommand(argv, table) ? table : wholeTable();
}

async function rowsOf(part: Part): Promise<readonly CommandRow[]> {
  return (await part.load()).map((command) => ({ positionals: [], options: [], ...command }));
}

function isCommand(argv: readonly string[], table: CommandTable): boolean {
  try {
    return readRequest(splitLine(argv, table), table).kind === "command";
  } catch {
    return false;
  }
}
