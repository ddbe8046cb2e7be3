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

/** A command of the device. */
export interface Command extends shared.Command<Invocation> {
  /** When the agent is not running, its operations are done in process. */
  readonly worksOffline?: true;
}
