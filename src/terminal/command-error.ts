/** A failure of the command line itself, with its exit code: 2 usage, 8 agent unreachable, … */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.name = "CommandError";
    this.exitCode = exitCode;
  }
}

/** A mistake in the words of a command, found by the command itself: the right usage is shown after it. */
export class UsageError extends CommandError {
  constructor(message: string) {
    super(2, message);
    this.name = "UsageError";
  }
}

/** Ends a command with an exit code after it has printed all it has to. */
export class OnlyExitCode extends CommandError {
  constructor(exitCode: number) {
    super(exitCode, "");
    this.name = "OnlyExitCode";
  }
}
