/** The manual page steward(8) in man(7)'s language. */
import {
  type Command,
  type CommandTable,
  type Example,
  groupOf,
  type Option,
} from "../src/terminal/commands/command.ts";
import { commandUsage } from "../src/terminal/commands/usage.ts";
import { type Edition, plain } from "./roff.ts";

/** One page for the whole command line: a section a group, a paragraph a command. */
export function manualPage(table: CommandTable, { version, date }: Edition): string {
  const commands = table.commands.filter(({ isHidden }) => !isHidden);
  const groups = table.groups.map((group) => ({
    ...group,
    members: commands.filter((command) => groupOf(table, command) === group),
  }));
  return [
    `.TH STEWARD 8 "${plain(date)}" "steward ${plain(version)}" "System administration"`,
    // Options and lines to type are not hyphenated, nor spread out.
    ...[".nh", ".ad l"],
    ...[".SH NAME", `steward \\- the operations agent of this appliance`],
    ...[".SH SYNOPSIS", ".B steward", ".I COMMAND", ".RI [ OPTION ...]"],
    ...[".SH DESCRIPTION", ...description.map(plain)],
    ...groups.flatMap(({ title, members }) => [
      `.SH "${plain(title.toUpperCase())}"`,
      ...members.flatMap((command) => commandParagraph(table, command)),
    ]),
    ...[".SH OPTIONS OF EVERY COMMAND", ...table.globalOptions.flatMap(optionParagraph)],
    ...[
      ".SH EXIT STATUS",
      ...table.exitCodes.flatMap(([code, meaning]) => [".TP", `.B ${code}`, plain(meaning)]),
    ],
    ...[".SH ENVIRONMENT", ...environment.flatMap(([name, use]) => [".TP", `.B ${name}`, plain(use)])],
    ...[".SH FILES", ...files.flatMap(([path, use]) => [".TP", `.I ${plain(path)}`, plain(use)])],
    ...[".SH SEE ALSO", ".BR steward.json (5),", ".BR steward\\-rescue (7)"],
    "",
  ].join("\n");
}

const description = [
  "Over the agent's socket the command line has every right of an administrator.",
  "With the agent down, most commands work on its state directly, as the owner of the state directory.",
  "A command waits for an agent that is starting, and for another command that works on the state.",
];

const environment = [
  ["STEWARD_SOCKET", "the agent's socket, if --socket is not given"],
  ["STEWARD_STATE", "the agent's state directory, if --state is not given"],
] as const;

const files = [
  ["/run/steward/steward.sock", "the agent's socket"],
  ["/var/lib/steward", "the agent's state"],
  ["/var/lib/steward-releases", "the installed releases; only root writes them"],
  ["/etc/steward/steward.json", "the decisions of root about this device"],
] as const;

function commandParagraph(table: CommandTable, command: Command): string[] {
  const usage = (commandUsage(table, command).split("\n")[0] ?? "").replace(/^Usage: /, "");
  const { path, aliases = [], examples = [] } = command;
  const others = aliases.map((alias) => [table.program, ...path.slice(0, -1), alias].join(" "));
  return [
    ...[".TP", `.B ${breakable(usage)}`, `${plain(command.summary)}.`],
    ...(others.length === 0 ? [] : [`Also: ${plain(others.join(", "))}.`]),
    ...(command.options.length === 0 ? [] : [".RS", ...command.options.flatMap(optionParagraph), ".RE"]),
    ...(examples.length === 0 ? [] : [".RS", ...examples.flatMap(exampleParagraph), ".RE"]),
  ];
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
