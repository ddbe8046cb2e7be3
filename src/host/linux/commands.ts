import { type ExecFileException, execFile } from "node:child_process";
import type { CommandResult, RunCommand } from "../ports.ts";

/** The PATH of programs that are run; they get no other variable of this environment. */
export const systemPath = "/usr/sbin:/usr/bin:/sbin:/bin";

/** Bytes of each output stream, a hundred times what these programs write. A program that writes more is killed. */
const mostOutputBytes = 262_144;

/** Runs programs without a shell, in the C locale, with only PATH (`path`). One that is slow or writes much is killed. */
export function createRunCommand(options: { path?: string } = {}): RunCommand {
  const env = { PATH: options.path ?? systemPath, LC_ALL: "C" };
  return (program, args, { timeoutMilliseconds, signal }) =>
    new Promise((resolve, reject) => {
      const child = execFile(
        program,
        [...args],
        {
          ...{ env, timeout: timeoutMilliseconds, killSignal: "SIGKILL", maxBuffer: mostOutputBytes },
          ...(signal && { signal }),
        },
        (error, stdout, stderr) => {
          const status = statusOf(error);
          if (status === undefined) return reject(error);
          resolve({ status, stdout, stderr });
        },
      );
      // A program that waits for input would otherwise wait until the timeout.
      child.stdin?.on("error", () => undefined).end();
    });
}

/** undefined: it was never started. */
function statusOf(error: ExecFileException | null): CommandResult["status"] | undefined {
  if (error === null) return 0;
  if (typeof error.code === "number") return error.code;
  if (error.name === "AbortError") return undefined;
  // Killed: by this process for time or output (its code is then a text), or by another one.
  const isKilled = error.killed === true || typeof error.signal === "string";
  return isKilled || error.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER" ? null : undefined;
}
