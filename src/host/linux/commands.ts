import { type ExecFileException, execFile } from "node:child_process";
import type { CommandResult, RunCommand } from "../ports.ts";

/** Where programs are looked for; no other variable of our own environment reaches them. */
export const systemPath = "/usr/sbin:/usr/bin:/sbin:/bin";

/** Bytes of each output stream: what these programs say fits a hundred times over. More of it kills them. */
const mostOutputBytes = 262_144;

/**
 * Runs programs of the system without a shell, in the C locale and with an environment of nothing but PATH. One that
 * takes too long or says too much is killed. `path`: in the manner of the variable.
 */
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
      // Whoever waits for input would wait until the timeout.
      child.stdin?.on("error", () => undefined).end();
    });
}

/** undefined: it was never started. */
function statusOf(error: ExecFileException | null): CommandResult["status"] | undefined {
  if (error === null) return 0;
  if (typeof error.code === "number") return error.code;
  if (error.name === "AbortError") return undefined;
  // Killed: by us for time or output (its code is then a text), or by somebody else.
  const isKilled = error.killed === true || typeof error.signal === "string";
  return isKilled || error.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER" ? null : undefined;
}
