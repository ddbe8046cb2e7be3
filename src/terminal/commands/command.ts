import type { Output } from "../output.ts";

/** One option. With `value`, the word in the usage line, it takes a value (`isFile`: a path); without, it is a switch. */
export interface Option {
  readonly name: string;
  readonly short?: string;
  readonly value?: string;
  /** The only values that are accepted. */
  readonly values?: readonly string[];
  /** Completion asks the program for the names of this kind that there are: `completion-names KIND`. */
  readonly live?: string;
  /** The option that cannot be given together with this one. */
  readonly excludes?: string;
  /** It selects the agent, or the way to it. */
  readonly isOfAgent?: true;
  readonly summary: string;
}

/** True of a word that names a file or a directory. */
export function isFile({ value = "" }: Option): boolean {
  return ["DIR", "DIR|FILE", "FILE", "KEYS", "PATH", "PUBLIC"].includes(value);
}

export interface Positional {
  /** The word in the usage line. */
  readonly name: string;
  readonly isOptional?: true;
  /** Takes all remaining words; only for the last one. */
  readonly isRepeated?: true;
  /** The only values that are accepted. */
  readonly values?: readonly string[];
  /** Offered by completion; anything else is accepted too. */
  readonly suggestions?: readonly string[];
  /** Completion asks the program for the names of this kind that there are: `completion-names KIND`. */
  readonly live?: string;
}

export interface Example {
  readonly line: string;
  readonly what: string;
}

export interface GivenOptions {
  has(name: string): boolean;
  /** The value; of an option that was repeated the last. */
  text(name: string): string | undefined;
  /** The values of an option that may be repeated, in their order. */
  texts(name: string): readonly string[];
}

/** The members that are not undefined: an option that was not given has no member in a request. */
export function whereGiven<T extends object>(
  members: T,
): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [Name in keyof T]?: Exclude<T[Name], undefined> };
}

export interface ProgramContext {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  readonly program: { readonly version: string };
  /** Aborted by Ctrl-C from now on, which then no longer ends the program. */
  interruption(): AbortSignal;
}

/** One call of a command, with everything that commands of each program may use. */
export interface Invocation {
  /** The word that starts the program. */
  readonly program: string;
  /** The words of the command line as they were typed, without the program's name. */
  readonly typed: readonly string[];
  readonly positionals: readonly string[];
  readonly options: GivenOptions;
  readonly context: ProgramContext;
  readonly output: Output;
}

/** One row of the command table: parsing, help, usage errors and completion derive from it. */
export interface Command<Call extends Invocation = Invocation> {
  readonly path: readonly string[];
  /** Other words for the last word of the path. */
  readonly aliases?: readonly string[];
  /** It works, but help and completion do not list it. */
  readonly isHidden?: true;
  readonly summary: string;
  readonly positionals: readonly Positional[];
  readonly options: readonly Option[];
  readonly examples?: readonly Example[];
  /** Its ends, where those of the program say too little of them. */
  readonly exitCodes?: ExitCodes;
  /** It only works on files: its help leaves the options of the agent out. */
  readonly isWithoutAgent?: true;
  run(invocation: Call): Promise<void>;
}

/** Commands that belong together in help and manual, by their first words. */
export interface CommandGroup {
  readonly title: string;
  readonly words: readonly string[];
}

export interface CommandTable<Row extends Command = Command> {
  readonly program: string;
  readonly commands: readonly Row[];
  /** The first word of every command is in one of them: test/cli checks that. */
  readonly groups: readonly CommandGroup[];
  /** Accepted before and after every command. */
  readonly globalOptions: readonly Option[];
  /** Lines that most users need first; shown in the help of the program. */
  readonly firstSteps: readonly Example[];
  readonly exitCodes: ExitCodes;
}

export type ExitCodes = readonly (readonly [code: string, meaning: string])[];

/** undefined: in none. */
export function groupOf({ groups }: CommandTable, { path }: Pick<Command, "path">): CommandGroup | undefined {
  return groups.find(({ words }) => words.includes(path[0] ?? ""));
}
