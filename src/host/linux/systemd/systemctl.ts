import { rethrown, StewardError } from "../../../contract/errors.ts";
import type { CommandResult, RunCommand } from "../../ports.ts";

/**
 * Calls systemctl(1) and returns its output. Throws `forbidden`, `not_found`, `internal_error`. The caller checks the
 * name of the unit: it must not be a path or a pattern.
 */
export async function systemctl(
  run: RunCommand,
  verb: string,
  unit: string,
  /** Seconds to wait; systemd may still complete the job afterwards. */
  patienceSeconds: number,
  options: readonly string[] = [],
): Promise<string> {
  const args = ["--no-ask-password", verb, ...options, "--", unit];
  const limits = { timeoutMilliseconds: patienceSeconds * 1_000 };
  const result = await run("systemctl", args, limits).catch(
    rethrown((cause) => new StewardError("internal_error", "systemctl could not be run", { cause })),
  );
  if (result.status !== 0) throw refusal(`systemctl ${verb} ${unit}`, result, patienceSeconds);
  return result.stdout;
}

/** The reason for the failure, from the messages of the C locale. */
function refusal(command: string, { status, stderr }: CommandResult, patienceSeconds: number): StewardError {
  if (status === null)
    return new StewardError("internal_error", `${command} took longer than ${patienceSeconds} s`);
  const complaint = stderr.trim().split("\n")[0] ?? "";
  const said = `${command} failed with status ${status}: ${complaint || "without a message"}`;
  // Answers to a user who is not root.
  if (/access denied|interactive authentication required/i.test(complaint))
    return new StewardError("forbidden", said);
  if (/\bUnit .+ not found\b/.test(complaint)) return new StewardError("not_found", said);
  return new StewardError("internal_error", said);
}
