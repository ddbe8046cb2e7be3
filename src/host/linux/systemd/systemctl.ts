import { StewardError } from "../../../contract/errors.ts";
import type { CommandResult, RunCommand } from "../../ports.ts";

/** What systemctl(1) is asked to do. */
export interface SystemctlOrder {
  readonly verb: string;
  readonly options?: readonly string[];
  readonly unit: string;
  /** Seconds after which it is no longer waited for; systemd may still do it. */
  readonly patienceSeconds: number;
}

/**
 * Gives orders to systemd through systemctl(1), and gives back what it wrote. Throws `forbidden`, `not_found`,
 * `internal_error`. The name of the unit is the caller's to check: it must not be a path or a pattern.
 */
export type Systemctl = (order: SystemctlOrder) => Promise<string>;

export function createSystemctl(run: RunCommand): Systemctl {
  return async ({ verb, options = [], unit, patienceSeconds }) => {
    const args = ["--no-ask-password", verb, ...options, "--", unit];
    const limits = { timeoutMilliseconds: patienceSeconds * 1_000 };
    const result = await run("systemctl", args, limits).catch((cause: unknown) => {
      throw new StewardError("internal_error", "systemctl could not be run", { cause });
    });
    if (result.status !== 0) throw refusal(`systemctl ${verb} ${unit}`, result, patienceSeconds);
    return result.stdout;
  };
}

/** Why systemd did not do it. Its words are those of the C locale. */
function refusal(command: string, { status, stderr }: CommandResult, patienceSeconds: number): StewardError {
  if (status === null)
    return new StewardError("internal_error", `${command} took longer than ${patienceSeconds} s`);
  const complaint = stderr.trim().split("\n")[0] ?? "";
  const said = `${command} failed with status ${status}: ${complaint || "it did not say why"}`;
  // polkit's answers: no rule permits it, or a person would have to be asked.
  if (/access denied|interactive authentication required/i.test(complaint))
    return new StewardError("forbidden", said);
  if (/\bUnit .+ not found\b/.test(complaint)) return new StewardError("not_found", said);
  return new StewardError("internal_error", said);
}
