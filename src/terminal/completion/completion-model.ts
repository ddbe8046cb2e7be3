import type { Command, CommandTable, Option } from "../commands/command.ts";

/** A position in the command line: after these words (a leading blank before each), this may follow. */
export interface Place {
  readonly at: string;
  readonly words: readonly { readonly word: string; readonly summary: string }[];
  readonly options: readonly Option[];
  /** Names to be asked of the program. */
  readonly live: string | undefined;
}

/** The three scripts are made from it. */
export interface CompletionModel {
  readonly program: string;
  readonly places: readonly Place[];
  /** Words that lead on: from ` user` + `delete` to ` user rm`. */
  readonly steps: readonly { readonly typed: string; readonly at: string }[];
  /** Every option that takes a value, once. */
  readonly valued: readonly Option[];
  readonly globalOptions: readonly Option[];
}

export function completionModel({ program, commands: all, globalOptions }: CommandTable): CompletionModel {
  const commands = all.filter(({ isHidden }) => !isHidden);
  const prefixes = commands.flatMap(({ path }) => path.map((_, index) => path.slice(0, index)));
  const groups = new Map(prefixes.map((prefix) => [pathKey(prefix), prefix]));
  const valued = [...globalOptions, ...commands.flatMap((command) => command.options)].filter(
    (option) => option.value !== undefined,
  );
  return {
    program,
    places: [
      ...[...groups.values()].map((prefix) => groupPlace(prefix, commands)),
      ...commands.map(commandPlace),
    ],
    steps: commands
      .flatMap(stepsOf)
      .filter((step, index, all) => all.findIndex(({ typed }) => typed === step.typed) === index),
    valued: [...new Map(valued.map((option) => [option.name, option])).values()],
    globalOptions,
  };
}

function groupPlace(prefix: readonly string[], commands: readonly Command[]): Place {
  const words = new Map<string, string>();
  for (const { path, summary } of commands) {
    const word = path[prefix.length];
    if (word === undefined || !prefix.every((part, index) => path[index] === part) || words.has(word))
      continue;
    words.set(word, path.length === prefix.length + 1 ? summary : `Commands of ${word}`);
  }
  return {
    at: pathKey(prefix),
    words: [...words].map(([word, summary]) => ({ word, summary })),
    options: [],
    live: undefined,
  };
}

function commandPlace({ path, positionals, options }: Command): Place {
  const values = positionals.flatMap((positional) => positional.values ?? positional.suggestions ?? []);
  const live = positionals.find((positional) => positional.live)?.live;
  return { at: pathKey(path), words: values.map((word) => ({ word, summary: "" })), options, live };
}

function stepsOf({ path, aliases = [] }: Command): { typed: string; at: string }[] {
  const parent = path.slice(0, -1);
  return [
    ...path.map((_, index) => pathKey(path.slice(0, index + 1))).map((at) => ({ typed: at, at })),
    ...aliases.map((alias) => ({ typed: pathKey([...parent, alias]), at: pathKey(path) })),
  ];
}

function pathKey(path: readonly string[]): string {
  return path.map((word) => ` ${word}`).join("");
}

/** In single quotes, as bash, zsh and fish read them alike when there is neither quote nor backslash within. */
export function quoted(text: string): string {
  return `'${text.replace(/['\\]/g, "’")}'`;
}

/** `-o`, `--output`: every way to write the option. */
export function spellings({ name, short }: Option): string[] {
  return short === undefined ? [`--${name}`] : [`-${short}`, `--${name}`];
}
