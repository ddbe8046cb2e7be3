import { parseArgs } from "node:util";
import type { Command, CommandTable, GivenOptions, Option, Positional } from "./command.ts";
import { suggestion } from "./near-miss.ts";
import { commandHelp, commandUsage, groupHelp, groupUsage, usageError } from "./usage.ts";

type GivenOption = Extract<NonNullable<ReturnType<typeof parseArgs>["tokens"]>[number], { kind: "option" }>;

/** The words and options of a command line, not checked yet. */
interface SplitLine {
  readonly words: readonly string[];
  readonly given: readonly GivenOption[];
  readonly options: GivenOptions;
}

export type Request<Row extends Command> =
  | { readonly kind: "help"; readonly text: string }
  | { readonly kind: "version" }
  | { readonly kind: "command"; readonly command: Row; readonly positionals: readonly string[] };

/** Tells options from words. Never throws: an option's name means the same in every command. */
export function splitLine(argv: readonly string[], { globalOptions, commands }: CommandTable): SplitLine {
  const known = [...globalOptions, ...commands.flatMap((command) => command.options)];
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(known.map((option) => [option.name, parserOption(option)])),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given = tokens.filter((token) => token.kind === "option");
  const last = (name: string) => given.findLast((token) => token.name === name);
  return {
    words: tokens.flatMap((token) => (token.kind === "positional" ? [token.value] : [])),
    given,
    options: {
      has: (name) => last(name) !== undefined,
      text: (name) => last(name)?.value,
      texts: (name) => given.flatMap((token) => (token.name === name ? [token.value ?? ""] : [])),
    },
  };
}

/** The command that the line asks for. Throws CommandError(2), which names the mistake and the right usage. */
export function readRequest<Row extends Command>(line: SplitLine, table: CommandTable<Row>): Request<Row> {
  if (line.options.has("version") && line.words.length === 0) return { kind: "version" };
  // `steward help user add` is `steward user add --help`.
  const isHelp = line.words[0] === "help";
  const { prefix, members, rest } = selectMembers(isHelp ? line.words.slice(1) : line.words, table.commands);
  const command = members.find((member) => member.path.length === prefix.length);
  const wantsHelp = isHelp || line.options.has("help");
  if (command === undefined) {
    const unknown = rest[0];
    if (unknown !== undefined) throw unknownCommand(table, unknown, { prefix, members });
    if (!wantsHelp) throw usageError("A command is missing.", groupHelp(table, prefix, members).trimEnd());
    return { kind: "help", text: groupHelp(table, prefix, members) };
  }
  if (isHelp && rest.length > 0) throw unknownCommand(table, rest[0] ?? "", { prefix, members: [] });
  if (wantsHelp) return { kind: "help", text: commandHelp(table, command) };
  checkOptions(table, line, command);
  checkPositionals(table, rest, { command, hasVersion: line.options.has("version") });
  return { kind: "command", command, positionals: rest };
}

/** Follows the words down the table as far as they name a command or a group. */
function selectMembers<Row extends Command>(words: readonly string[], commands: readonly Row[]) {
  let members = commands;
  const prefix: string[] = [];
  for (const word of words) {
    const found = members.filter((member) => names(member, prefix.length).includes(word));
    const first = found[0]?.path[prefix.length];
    if (first === undefined) break;
    members = found;
    prefix.push(first);
  }
  return { prefix, members, rest: words.slice(prefix.length) };
}

function names(command: Command, depth: number): readonly string[] {
  const word = command.path[depth];
  if (word === undefined) return [];
  return depth === command.path.length - 1 ? [word, ...(command.aliases ?? [])] : [word];
}

function unknownCommand(
  table: CommandTable,
  word: string,
  { prefix, members }: { prefix: readonly string[]; members: readonly Command[] },
) {
  const shown = members.filter(({ isHidden }) => !isHidden);
  const choices = shown.flatMap((member) => names(member, prefix.length));
  const command = [...prefix, word].join(" ");
  return usageError(
    `There is no command "${command}"${suggestion(word, choices)}`,
    groupUsage(table, prefix),
  );
}

function checkOptions(table: CommandTable, line: SplitLine, command: Command): void {
  const usage = commandUsage(table, command);
  const allowed = [...command.options, ...table.globalOptions];
  for (const given of line.given) {
    const option = allowed.find(({ name, short }) => name === given.name || short === given.name);
    if (option === undefined) {
      const near = suggestion(
        given.rawName,
        allowed.map(({ name }) => `--${name}`),
      );
      throw usageError(
        `"${table.program} ${command.path.join(" ")}" has no option ${given.rawName}${near}`,
        usage,
      );
    }
    checkValue(given, option, usage);
    if (option.excludes !== undefined && line.options.has(option.excludes)) {
      throw usageError(
        `--${option.name} and --${option.excludes} exclude each other; give one of them.`,
        usage,
      );
    }
  }
}

function checkValue({ rawName, value, inlineValue }: GivenOption, option: Option, usage: string): void {
  if (option.value === undefined) {
    if (value !== undefined) throw usageError(`${rawName} is a switch and takes no value.`, usage);
    return;
  }
  // A word that begins with a hyphen is more likely the next option than a value; a single hyphen is standard output.
  if (value === undefined || (!inlineValue && /^-./.test(value))) {
    throw usageError(`${rawName} needs a value: --${option.name}=${option.value}.`, usage);
  }
  if (option.values !== undefined && !option.values.includes(value)) {
    throw usageError(notOneOf(rawName, value, option.values), usage);
  }
}

function checkPositionals(
  table: CommandTable,
  words: readonly string[],
  { command, hasVersion }: { command: Command; hasVersion: boolean },
): void {
  const usage = commandUsage(table, command);
  const { positionals } = command;
  const missing = positionals[words.length];
  if (missing !== undefined && !missing.isOptional) throw usageError(`${missing.name} is missing.`, usage);
  const last = positionals.at(-1);
  words.forEach((word, index) => {
    const positional: Positional | undefined = positionals[index] ?? (last?.isRepeated ? last : undefined);
    if (positional === undefined)
      throw usageError(`"${word}" is one argument too many.${hasVersion ? versionHint : ""}`, usage);
    if (positional.values !== undefined && !positional.values.includes(word)) {
      throw usageError(notOneOf(positional.name, word, positional.values), usage);
    }
  });
}

/** For users who write --version=1.2 to give a version. */
const versionHint = " --version takes no value: it shows the version of this program.";

function notOneOf(name: string, value: string, values: readonly string[]): string {
  return `${name} is one of ${values.join(", ")}, not "${value}"${suggestion(value, values)}`;
}

function parserOption({ value, short }: Option) {
  const type = value === undefined ? ("boolean" as const) : ("string" as const);
  return short === undefined ? { type } : { type, short };
}
