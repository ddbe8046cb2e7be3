import type { OperationId } from "../contract/operations.ts";
import type { Input, Output } from "../contract/types.ts";
import type { StateTools } from "../store/inspection.ts";

/**
 * What the commands talk to: the agent over its socket or a URL, or the same operations in process.
 * A refusal is a StewardError with the agent's code; an agent that cannot be reached is a CommandError(8).
 */
export interface Client {
  call<Id extends OperationId>(id: Id, input: Partial<Input<Id>>): Promise<Output<Id>>;
  /**
   * Hands on the messages of a stream, one after the other, until the agent or `signal` ends it. Absent where
   * nothing can be followed: the agent is down and its operations are done in process.
   */
  stream?<Id extends OperationId>(
    id: Id,
    input: Partial<Input<Id>>,
    onMessage: (message: StreamedMessage) => void | Promise<void>,
    signal?: AbortSignal,
  ): Promise<void>;
  close(): Promise<void>;
}

/** One message of an event stream, its data read from JSON. */
export interface StreamedMessage {
  readonly id?: string;
  readonly event?: string;
  readonly data: unknown;
}

/** Everything a command may touch of the world outside; only the mains know the process. */
export interface CommandContext {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  environment: Readonly<Record<string, string | undefined>>;
  /** This program's own version, for `--version` and for when the agent cannot say its. */
  programVersion: string;
  /** The same operations in process, under the store's lock, as local root; for when the agent is down. */
  openOffline(stateDirectory: string): Promise<Client>;
  openState(stateDirectory: string): Promise<StateTools>;
}

/** A failure of the command line itself, with its exit code: 2 usage, 8 agent unreachable, … */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.name = "CommandError";
    this.exitCode = exitCode;
  }
}
