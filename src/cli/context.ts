import type { OperationId } from "../contract/operations.ts";
import type { Input, Output } from "../contract/types.ts";

/**
 * What the commands talk to: the agent over its socket or a URL, or the same operations in process.
 * A refusal is a StewardError with the agent's code; an agent that cannot be reached is a CommandError(8).
 */
export interface Client {
  call<Id extends OperationId>(id: Id, input: Partial<Input<Id>>): Promise<Output<Id>>;
  close(): Promise<void>;
}

/** One document of the agent's state as it lies on the disk. */
export interface StateEntry {
  name: string;
  condition: "ok" | "damaged" | "absent";
  /** Why it is damaged; empty when it is not. */
  detail: string;
  size_bytes: number | null;
  modified_at: string | null;
  /** When the last good copy was written; null: there is none. */
  good_copy_at: string | null;
  /** File names of damaged versions kept beside it, oldest first. */
  kept: readonly string[];
}

/** The agent's documents as files. Reading takes no lock; restore and reset hold the store's lock. */
export interface StateTools {
  list(): Promise<StateEntry[]>;
  /** `from`: a kept file's name, or "good" for the last good copy; absent: the document itself. Secrets are masked. */
  show(name: string, from?: string): Promise<unknown>;
  /** Puts the last good copy (or the kept file `from`) in the document's place; the present file is kept. */
  restore(name: string, from?: string): Promise<StateEntry>;
  /** Puts the defaults in the document's place; the present file is kept. */
  reset(name: string): Promise<StateEntry>;
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
