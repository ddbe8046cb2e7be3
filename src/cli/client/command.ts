import type * as shared from "../../terminal/commands/command.ts";
import type { Client, CommandContext } from "./context.ts";
import type { Places } from "./places.ts";

/** One call of a command of the device, which may ask the agent. */
export interface Invocation extends shared.Invocation {
  readonly context: CommandContext;
  readonly places: Places;
  /** Connects at its first call. */
  readonly client: Client;
}

export interface CommandRow extends shared.Command<Invocation> {
  /** When the agent is not running, its operations are done in process. */
  readonly worksOffline?: true;
}

type Taken = "positionals" | "options";

/** A command of the device. Its file names the words and options that it takes, if it takes any. */
export type Command = Omit<CommandRow, Taken> & Partial<Pick<CommandRow, Taken>>;

/** Exit codes of commands that have worked and say how the device is: its clock is not right, or something needs a person. */
export const notSynchronised = 9;
export const needsPerson = 10;
