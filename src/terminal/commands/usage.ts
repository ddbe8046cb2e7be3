import { CommandError } from "../command-error.ts";
import { formatFields } from "../table.ts";
import {
  type Command,
  type CommandTable,
  type Example,
  groupOf,
  type Option,
  type Positional,
} from "./command.ts";

/** A mistake in the command line: exit 2, with the mistake and the right usage. */
export function usageError(message: string, usage: string): CommandError {
  return new CommandError(2, `${message}\n${usage}`);
}

/** `Usage: steward user add NAME [--role ROLE] …` and the command for its help. */
export function commandUsage({ program }: Pick<CommandTable, "program">, command: Command): string {
  const words = [program, ...command.path, ...command.positionals.map(positionalUsage)];
  const usage = ["Usage:", ...words, ...optionUsages(command.options)].join(" ");
  return `${usage}\nMore: ${program} ${command.path.join(" ")} --help`;
}

/** The usage of a group such as `user`, or of the whole program when `words` is empty. */
export function groupUsage({ program }: Pick<CommandTable, "program">, words: readonly string[]): string {
  const start = [program, ...words].join(" ");
  return `Usage: ${start} COMMAND [ARGUMENT…]\nMore: ${start} --help`;
}

export function commandHelp(table: CommandTable, command: Command): string {
  const [usage] = commandUsage(table, command).split("\n");
  const others = (command.aliases ?? []).map((alias) => [...command.path.slice(0, -1), alias].join(" "));
  return [
    `${usage} [OPTION…]\n`,
    `${command.summary}.${others.length === 0 ? "" : ` Also: ${table.program} ${others.join(", ")}.`}\n`,
    ...section("Options:", command.options.map(optionLine)),
    ...section("Examples:", (command.examples ?? []).map(exampleLine)),
    ...section("Exit codes:", command.exitCodes ?? []),
    ...commonOptions(table, [command]),
  ].join("\n");
}

/** The help of a group, or of the whole program when `words` is empty. */
export function groupHelp(
  table: CommandTable,
  words: readonly string[],
  members: readonly Command[] = table.commands,
): string {
  const shown = members.filter(({ isHidden }) => !isHidden);
  const [usage] = groupUsage(table, words).split("\n");
  const isWhole = words.length === 0;
  const examples = isWhole ? table.firstSteps : shown.flatMap((command) => command.examples ?? []);
  return [
    `${usage} [OPTION…]\n`,
    ...(isWhole ? wholeSections(table, shown) : section("Commands:", shown.map(commandLine))),
    ...section("Examples:", examples.map(exampleLine)),
    ...commonOptions(table, shown),
    ...(isWhole ? section("Exit codes:", table.exitCodes) : []),
  ].join("\n");
}

function commonOptions({ globalOptions }: CommandTable, members: readonly Command[]): string[] {
  const isWithoutAgent = members.every((command) => command.isWithoutAgent);
  const options = globalOptions.filter(({ isOfAgent }) => !(isOfAgent && isWithoutAgent));
  return section("Options of every command:", options.map(optionLine));
}

function wholeSections(table: CommandTable, members: readonly Command[]): string[] {
  return table.groups.flatMap((group) =>
    section(
      `${group.title}:`,
      members.filter((command) => groupOf(table, command) === group).map(commandLine),
    ),
  );
}

function commandLine(command: Command): readonly [string, string] {
  return [[...command.path, ...command.positionals.map(positionalUsage)].join(" "), command.summary];
}

function exampleLine({ line, what }: Example): readonly [string, string] {
  return [line, what];
}

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
  const isShownWithOther = ({ name }: Option): boolean => options.some((other) => other.excludes === name);
  return options.flatMap((option) => {
    const other = option.excludes === undefined ? "" : ` | --${option.excludes}`;
    return isShownWithOther(option) ? [] : [`[--${option.name}${valueUsage(option)}${other}]`];
  });
}

function valueUsage(option: Option): string {
  if (option.value === undefined) return "";
  return ` ${option.values?.join("|") ?? option.value}`;
}

function positionalUsage({ name, isOptional, isRepeated, values }: Positional): string {
  const word = `${values?.join("|") ?? name}${isRepeated ? "…" : ""}`;
  return isOptional ? `[${word}]` : word;
}
