import { CommandError } from "../client/context.ts";
import { formatFields } from "../terminal/table.ts";
import type { Command, Example, Option, Positional } from "./command.ts";
import { commandGroups, groupOf } from "./command-groups.ts";
import { globalOptions } from "./global-options.ts";

/** A mistake in the command line: exit 2, with the mistake and the right usage. */
export function usageError(message: string, usage: string): CommandError {
  return new CommandError(2, `${message}\n${usage}`);
}

/** `Usage: steward user add NAME [--role ROLE] …` and the command for its help. */
export function commandUsage(command: Command): string {
  const words = ["steward", ...command.path, ...command.positionals.map(positionalUsage)];
  const usage = ["Usage:", ...words, ...optionUsages(command.options)].join(" ");
  return `${usage}\nMore: steward ${command.path.join(" ")} --help`;
}

/** The usage of a group such as `user`, or of the whole program when `words` is empty. */
export function groupUsage(words: readonly string[]): string {
  const start = ["steward", ...words].join(" ");
  return `Usage: ${start} COMMAND [ARGUMENT…]\nMore: ${start} --help`;
}

/** The help of one command. */
export function commandHelp(command: Command): string {
  const [usage] = commandUsage(command).split("\n");
  const others = (command.aliases ?? []).map((alias) => [...command.path.slice(0, -1), alias].join(" "));
  return [
    `${usage} [OPTION…]\n`,
    `${command.summary}.${others.length === 0 ? "" : ` Also: steward ${others.join(", ")}.`}\n`,
    ...section("Options:", command.options.map(optionLine)),
    ...section("Examples:", (command.examples ?? []).map(exampleLine)),
    ...commonOptions([command]),
  ].join("\n");
}

/** The help of a group, or of the whole program when `words` is empty. */
export function groupHelp(words: readonly string[], members: readonly Command[]): string {
  const shown = members.filter(({ isHidden }) => !isHidden);
  const [usage] = groupUsage(words).split("\n");
  const isWhole = words.length === 0;
  const examples = isWhole ? firstSteps : shown.flatMap((command) => command.examples ?? []);
  return [
    `${usage} [OPTION…]\n`,
    ...(isWhole ? wholeSections(shown) : section("Commands:", shown.map(commandLine))),
    ...section("Examples:", examples.map(exampleLine)),
    ...commonOptions(shown),
    ...(isWhole ? section("Exit codes:", exitCodes) : []),
  ].join("\n");
}

function commonOptions(members: readonly Command[]): string[] {
  const isWithoutAgent = members.every((command) => command.isWithoutAgent);
  const options = globalOptions.filter(({ isOfAgent }) => !(isOfAgent && isWithoutAgent));
  return section("Options of every command:", options.map(optionLine));
}

/** The commands that most users need first. */
const firstSteps: readonly Example[] = [
  { line: "steward user add anna --role admin", what: "create the first administrator" },
  { line: "steward user diagnose anna", what: "why can anna not sign in?" },
  { line: "steward time status", what: "is the clock right, and who sets it?" },
  { line: "steward update status", what: "which releases are installed, and which are available?" },
  { line: "steward help user", what: "the commands of a group" },
];

function wholeSections(members: readonly Command[]): string[] {
  return commandGroups.flatMap((group) =>
    section(`${group.title}:`, members.filter((command) => groupOf(command) === group).map(commandLine)),
  );
}

function commandLine(command: Command): readonly [string, string] {
  return [[...command.path, ...command.positionals.map(positionalUsage)].join(" "), command.summary];
}

function exampleLine({ line, what }: Example): readonly [string, string] {
  return [line, what];
}

/** The meanings of the exit codes. */
export const exitCodes = [
  ["0", "ok"],
  ["1", "failed"],
  ["2", "usage"],
  ["3", "not found"],
  ["4", "not permitted"],
  ["5", "conflict"],
  ["6", "invalid input"],
  ["7", "locked or rate-limited"],
  ["8", "agent unreachable"],
  ["9", "clock not synchronised"],
  [
    "10",
    "done, but something needs attention (status), a device differs from its file (apply --check), or published metadata expires soon (repo publish, repo renew)",
  ],
  ["130", "interrupted"],
] as const;

function section(head: string, lines: readonly (readonly [string, string])[]): string[] {
  if (lines.length === 0) return [];
  const indented = lines.map(([name, summary]) => [`  ${name}`, summary] as const);
  return [`${head}\n${formatFields(indented)}`];
}

function optionLine(option: Option): readonly [string, string] {
  const name = option.short === undefined ? `    --${option.name}` : `-${option.short}, --${option.name}`;
  return [`${name}${valueUsage(option)}`, option.summary];
}

function optionUsages(options: readonly Option[]): string[] {
  const usages: string[] = [];
  for (const option of options) {
    const partner = options.find((other) => other.excludes === option.name);
    if (partner !== undefined) continue;
    const other = option.excludes === undefined ? "" : ` | --${option.excludes}`;
    usages.push(`[--${option.name}${valueUsage(option)}${other}]`);
  }
  return usages;
}

function valueUsage(option: Option): string {
  if (option.value === undefined) return "";
  return ` ${option.values?.join("|") ?? option.value}`;
}

function positionalUsage({ name, isOptional, isRepeated, values }: Positional): string {
  const word = `${values?.join("|") ?? name}${isRepeated ? "…" : ""}`;
  return isOptional ? `[${word}]` : word;
}
