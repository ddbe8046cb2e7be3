import { errorCodes } from "../contract/error-codes.ts";
import { messageOf, StewardError, systemErrorCode } from "../contract/errors.ts";

/**
 * Ends this process with an exit status, after all output has been written. Node itself would first wait until V8's
 * threads have compiled their work, and glibc before 2.41 may lose the signal that wakes them (its bug 25847): then the
 * process would never end.
 */
export function end(status: number): void {
  let open = 2;
  const written = (): void => {
    open -= 1;
    if (open === 0) process.exit(status);
  };
  for (const stream of [process.stdout, process.stderr]) stream.write("", written);
}

/**
 * Prints the reason why a program ends, and ends it with the exit status of the error, 2 for an unknown option, else 1.
 */
export function fail(error: unknown, program = "steward"): void {
  process.stderr.write(`${program}: ${messageOf(error)}\n`);
  if (error instanceof StewardError) end(errorCodes[error.code].exit);
  else end(systemErrorCode(error)?.startsWith("ERR_PARSE_ARGS") ? 2 : 1);
}
