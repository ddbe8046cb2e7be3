/** The manual pages steward(8) and steward-publisher(1) in man(7)'s language. */
import {
  type Command,
  type CommandTable,
  type Example,
  type ExitCodes,
  groupOf,
  type Option,
} from "../src/terminal/commands/command.ts";
import { commandUsage } from "../src/terminal/commands/usage.ts";
import { type Edition, plain } from "./roff.ts";

/** The words of a page beside its commands. */
interface PageWords {
  readonly section: number;
  readonly title: string;
  /** The program in a few words, behind its name. */
  readonly name: string;
  /** A sentence a paragraph. */
  readonly description: readonly string[];
  readonly environment: readonly (readonly [name: string, use: string])[];
  readonly files: readonly (readonly [path: string, use: string])[];
  readonly seeAlso: readonly string[];
}

/** One page for the whole program: a section a group, a paragraph a command. */
export function manualPage(table: CommandTable, page: PageWords, { version, date }: Edition): string {
  const { program } = table;
  const commands = table.commands.filter(({ isHidden }) => !isHidden);
  const groups = table.groups.map((group) => ({
    ...group,
    members: commands.filter((command) => groupOf(table, command) === group),
  }));
  return [
    `.TH ${plain(program.toUpperCase())} ${page.section} "${plain(date)}" "steward ${plain(version)}" "${page.title}"`,
    // Options and lines to type are not hyphenated, nor spread out.
    ...[".nh", ".ad l"],
    ...[".SH NAME", `${plain(program)} \\- ${page.name}`],
    ...[".SH SYNOPSIS", `.B ${plain(program)}`, ".I COMMAND", ".RI [ OPTION ...]"],
    ...[".SH DESCRIPTION", ...page.description.map(plain)],
    ...groups.flatMap(({ title, members }) => [
      `.SH "${plain(title.toUpperCase())}"`,
      ...members.flatMap((command) => commandParagraph(table, command)),
    ]),
    ...[".SH OPTIONS OF EVERY COMMAND", ...table.globalOptions.flatMap(optionParagraph)],
    ...[".SH EXIT STATUS", ...exitCodeParagraphs(table.exitCodes)],
    ...section(
      "ENVIRONMENT",
      page.environment.flatMap(([name, use]) => [".TP", `.B ${name}`, plain(use)]),
    ),
    ...section(
      "FILES",
      page.files.flatMap(([path, use]) => [".TP", `.I ${plain(path)}`, plain(use)]),
    ),
    ...[".SH SEE ALSO", ...page.seeAlso],
    "",
  ].join("\n");
}

export const stewardPage: PageWords = {
  section: 8,
  title: "System administration",
  name: "the operations agent of this appliance",
  description: [
    "Over the agent's socket the command line has every right of an administrator.",
    "With the agent down, most commands work on its state directly, as the owner of the state directory.",
    "A command waits for an agent that is starting, and for another command that works on the state.",
  ],
  environment: [
    ["STEWARD_SOCKET", "the agent's socket, where --socket is not given"],
    ["STEWARD_PRODUCT_SOCKET", "the socket for the product's reports, where --product-socket is not given"],
    ["STEWARD_STATE", "the agent's state directory, where --state is not given"],
  ],
  files: [
    ["/run/steward/steward.sock", "the agent's socket"],
    ["/var/lib/steward", "the agent's state"],
    ["/var/lib/steward-releases", "the installed releases, which only root writes"],
    ["/etc/steward/steward.json", "what root decides about this device"],
  ],
  seeAlso: [".BR steward.json (5),", ".BR steward\\-rescue (7)"],
};

export const publisherPage: PageWords = {
  section: 1,
  title: "User commands",
  name: "signs and publishes updates for appliances with steward",
  description: [
    "A repository of The Update Framework is a directory of static files, which devices fetch from any web server or storage medium.",
    "This program makes one, signs releases into it, publishes them, and follows a roll-out in the log of the web server.",
    "It needs neither an agent nor root. It works on files of the user who runs it, one command at a time for each repository.",
  ],
  environment: [],
  files: [
    ["DIR/public", "the published files, all of which are uploaded"],
    ["DIR/draft", "metadata of the next version, until publish"],
    ["DIR/keys", "private keys; they are never uploaded, and belong in a safe place"],
  ],
  seeAlso: [".BR steward (8)"],
};

function section(head: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`.SH ${head}`, ...lines];
}

function commandParagraph(table: CommandTable, command: Command): string[] {
  const usage = (commandUsage(table, command).split("\n")[0] ?? "").replace(/^Usage: /, "");
  const { path, aliases = [], examples = [], exitCodes = [] } = command;
  const others = aliases.map((alias) => [table.program, ...path.slice(0, -1), alias].join(" "));
  return [
    ...[".TP", `.B ${breakable(usage)}`, `${plain(command.summary)}.`],
    ...(others.length === 0 ? [] : [`Also: ${plain(others.join(", "))}.`]),
    ...(command.options.length === 0 ? [] : [".RS", ...command.options.flatMap(optionParagraph), ".RE"]),
    ...(examples.length === 0 ? [] : [".RS", ...examples.flatMap(exampleParagraph), ".RE"]),
    ...(exitCodes.length === 0
      ? []
      : [".RS", ".PP", "Exit status:", ...exitCodeParagraphs(exitCodes), ".RE"]),
  ];
}

function exitCodeParagraphs(exitCodes: ExitCodes): string[] {
  return exitCodes.flatMap(([code, meaning]) => [".TP", `.B ${code}`, plain(meaning)]);
}

function exampleParagraph({ line, what }: Example): string[] {
  return [".PP", `${plain(what)}:`, ".PP", ".RS 4", ".nf", plain(line), ".fi", ".RE"];
}

function optionParagraph({ name, short, value, values, summary }: Option): string[] {
  const given = value === undefined ? "" : ` ${values?.join("|") ?? value}`;
  const names = short === undefined ? `--${name}` : `-${short}, --${name}`;
  return [".TP", `.B ${breakable(`${names}${given}`)}`, plain(summary)];
}

/** A long choice may go on in the next line after any of its words (groff(7), `\:`). */
function breakable(text: string): string {
  return plain(text).replaceAll("|", "|\\:");
}
