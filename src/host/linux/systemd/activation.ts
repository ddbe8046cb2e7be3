import { messageOf, rethrown, StewardError } from "../../../contract/errors.ts";
import type { ApplyPlan, ReleaseAtWork, ReleaseHost, Units } from "../../release-ports.ts";
import type { ProgramEnd, RunForRelease } from "../releases/release-programs.ts";

export interface ActivationOptions {
  /** null: without systemd, as in a trial run. */
  readonly units: Pick<Units, "restart" | "reload"> | null;
  readonly run: RunForRelease;
  /** Milliseconds that the program may take; 60 s by default. */
  readonly patienceMilliseconds?: number;
}

/**
 * Activates releases: by the plan's program, else by its unit (rules: reload, a binary: restart), else not at all, if
 * the product notices a new release on its own. Throws the errors of the units, and `internal_error` if the program
 * fails, or if there is a unit but no systemd.
 */
export function createActivation(options: ActivationOptions): ReleaseHost["activate"] {
  const { units, run, patienceMilliseconds = 60_000 } = options;
  return async (plan: ApplyPlan, release: ReleaseAtWork) => {
    if (plan.activate !== null) {
      const name = plan.activate[0] ?? "";
      const limits = { timeoutMilliseconds: patienceMilliseconds };
      const notRun = (cause: unknown) =>
        new StewardError("internal_error", `${name} could not be run: ${messageOf(cause)}`, { cause });
      const end = await run(plan.activate, release, limits).catch(rethrown(notRun));
      if (end.status !== 0) throw failed(name, end, patienceMilliseconds);
      return;
    }
    if (plan.unit === null) return;
    if (units === null) throw withoutSystemd(plan.unit, release);
    if (release.kind === "rules") await units.reload(plan.unit);
    else await units.restart(plan.unit);
  };
}

function failed(name: string, end: ProgramEnd, patienceMilliseconds: number): StewardError {
  const said = end.said === "" ? "" : `: ${end.said}`;
  const how = end.isTooSlow
    ? `took longer than ${patienceMilliseconds / 1_000} s`
    : end.status === null
      ? "was killed"
      : `failed with status ${end.status}`;
  return new StewardError("internal_error", `${name} ${how}${said}`);
}

function withoutSystemd(unit: string, { kind }: ReleaseAtWork): StewardError {
  return new StewardError(
    "internal_error",
    `${unit} cannot be ${kind === "rules" ? "reloaded" : "restarted"} without systemd: add update.${kind}.activate to the host file`,
  );
}
