import { execFile } from "node:child_process";
import type { Ran, RunOptions } from "./vocabulary.ts";

/** Runs a program without a shell; throws only where it cannot be started. */
export function runCommand(
  command: string,
  args: readonly string[] = [],
  options: RunOptions = {},
): Promise<Ran> {
  const { input = "", timeoutSeconds = 60, environment = {} } = options;
  return new Promise((resolve, reject) => {
    const limits = { timeout: timeoutSeconds * 1_000, killSignal: "SIGKILL", maxBuffer: 64 << 20 } as const;
    const env = { ...process.env, ...environment };
    const child = execFile(command, args, { encoding: "utf8", ...limits, env }, (error, stdout, stderr) => {
      if (error && typeof error.code === "string") return reject(error);
      const status = error ? (typeof error.code === "number" ? error.code : null) : 0;
      resolve({ status, stdout, stderr });
    });
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  });
}
