import type { GuestClock } from "./clock.ts";

/** The output of a command; status null when a signal ended it. */
export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Options of a command. */
export interface RunOptions {
  /** Given to its standard input. */
  readonly input?: string;
  /** Seconds before it is killed; default 60. */
  readonly timeoutSeconds?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

/** The end that a typed line has to have; the rest is given to it. */
export interface Expected extends RunOptions {
  /** Its exit code; default 0. `"fails"`: any other than 0. */
  readonly status?: number | "fails";
  /** All that it has to print. */
  readonly says?: string | RegExp | readonly (string | RegExp)[];
  /** The name of the check; default the line. */
  readonly what?: string;
}

/** An answer of the agent over HTTP; body parsed where it is JSON. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: scenarios look into answers of every shape
  readonly body: any;
}

/** Options of a request. */
export interface HttpOptions {
  /** Default GET, or POST where there is a body. */
  readonly method?: string;
  readonly body?: unknown;
  /** A Bearer token. */
  readonly token?: string;
}

/**
 * The vocabulary of a guest part. Everything is bounded; whatever throws fails the scenario. Seconds are those of a
 * quiet machine: where the boot took three times as long, so may all that is waited for.
 */
export interface Guest {
  /** 0 for the first boot of the scenario. */
  readonly boot: number;
  readonly clock: GuestClock;
  /** Runs a program as root, without a shell. Never throws for its exit code. */
  run(command: string, args?: readonly string[], options?: RunOptions): Promise<Ran>;
  /** A line of the shell as root types it, which is checked; returns all that it has printed. */
  types(line: string, expected?: Expected): Promise<string>;
  /** Types it every 200 ms until it ends so, and throws after that many seconds; returns what it has printed then. */
  becomes(line: string, seconds: number, expected?: Expected): Promise<string>;
  /** Starts the agent again, and waits until it answers. */
  restarts(): Promise<void>;
  /** The command line of the agent, as root. */
  steward(...args: readonly string[]): Promise<Ran>;
  /** A property of a unit as systemd shows it, such as `MainPID`; default the agent's. */
  property(name: string, unit?: string): Promise<string>;
  /** A request to http://127.0.0.1:8470; throws without an answer. */
  http(path: string, options?: HttpOptions): Promise<HttpAnswer>;
  /** A request as root over the agent's socket. Only to start a command line takes seconds in a virtual machine. */
  // biome-ignore lint/suspicious/noExplicitAny: scenarios look into answers of every shape
  api(path: string, body?: unknown): Promise<any>;
  /** Looks every 200 ms until something is there, and throws after that many seconds; counts the errors of `look` as "not yet". */
  until<T>(
    what: string,
    seconds: number,
    look: () => Promise<T | undefined | false> | T | undefined | false,
  ): Promise<T>;
  /** Waits until the agent answers; default 60 s. */
  stewardAnswers(seconds?: number): Promise<HttpAnswer>;
  /** One thing that has to be so; the scenario goes on either way and fails at its end. */
  check(name: string, condition: boolean, detail?: unknown): void;
  /** A number worth printing, with three digits where it is no integer. */
  figure(name: string, value: number, unit: string): void;
  /** Prints how many seconds after the machine's start this was reached, by the host's clock. */
  mark(name: string): void;
  /** A line of the output. */
  note(text: string): void;
  /** Has the host run what the scenario declares under `asks`, with this value, and returns what it returned. */
  ask(name: string, value?: unknown): Promise<unknown>;
  pause(seconds: number): Promise<void>;
}
