import type { Command, Option, Positional } from "./command.ts";
import { CommandError } from "./context.ts";
import { globalOptions } from "./global-options.ts";
import { formatFields } from "./table.ts";

/** A mistake in the command line: exit 2, with what is wrong and the usage that would be right. */
export function usageError(message: string, usage: string): CommandError {
  return new CommandError(2, `${message}\n${usage}`);
}

/** `Usage: steward user add NAME [--role ROLE] …` and where more is said. */
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
    ...section("Options of every command:", globalOptions.map(optionLine)),
  ].join("\n");
}

/** The help of a group, or of the whole program when `words` is empty. */
export function groupHelp(words: readonly string[], members: readonly Command[]): string {
  const shown = members.filter(({ isHidden }) => !isHidden);
  const lines = shown.map((command) => {
    const usage = [...command.path, ...command.positionals.map(positionalUsage)].join(" ");
    return [usage, command.summary] as const;
  });
  const [usage] = groupUsage(words).split("\n");
  return [
    `${usage} [OPTION…]\n`,
    ...section("Commands:", lines),
    ...section("Options of every command:", globalOptions.map(optionLine)),
    ...(words.length === 0 ? section("Exit codes:", exitCodes) : []),
  ].join("\n");
}

const exitCodes = [
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
