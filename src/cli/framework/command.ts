import type { Client, CommandContext, GivenOptions } from "../client/context.ts";
import type { Places } from "../client/places.ts";
import type { Output } from "../terminal/output.ts";

/** Things whose names the agent lists. */
export type LiveNames = "users" | "tokens";

/** One option. With `value`, the word in the usage line, it takes a value; without, it is a switch. */
export interface Option {
  readonly name: string;
  readonly short?: string;
  readonly value?: string;
  /** The only values that are accepted. */
  readonly values?: readonly string[];
  /** Completion asks the agent for the names that there are. */
  readonly live?: LiveNames;
  /** The value names a file or a directory. */
  readonly isFile?: true;
  /** The option that cannot be given together with this one. */
  readonly excludes?: string;
  /** It selects the agent, or the way to it. */
  readonly isOfAgent?: true;
  readonly summary: string;
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
  /** Completion asks the agent for the names that there are. */
  readonly live?: LiveNames;
}

/** A line to type, and its purpose. */
export interface Example {
  readonly line: string;
  readonly what: string;
}

/** One call of a command, with everything that it may use. */
export interface Invocation {
  /** The words of the command line as they were typed, without the program's name. */
  readonly typed: readonly string[];
  readonly positionals: readonly string[];
  readonly options: GivenOptions;
  readonly places: Places;
  readonly context: CommandContext;
  readonly output: Output;
  /** Connects at its first call. */
  readonly client: Client;
}

/** One row of the command table: parsing, help, usage errors and completion derive from it. */
export interface Command {
  readonly path: readonly string[];
  /** Other words for the last word of the path. */
  readonly aliases?: readonly string[];
  /** It works, but help and completion do not list it. */
  readonly isHidden?: true;
  readonly summary: string;
  readonly positionals: readonly Positional[];
  readonly options: readonly Option[];
  readonly examples?: readonly Example[];
  /** When the agent is not running, its operations are done in process. */
  readonly worksOffline?: true;
  /** It only works on files: its help leaves the options of the agent out. */
  readonly isWithoutAgent?: true;
  run(invocation: Invocation): Promise<void>;
}
