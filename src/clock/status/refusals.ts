import { StewardError } from "../../contract/errors.ts";
import type { DaemonReport } from "../daemons/external-daemon.ts";
import type { ClockMode } from "../state/mode.ts";
import type { RoundOptions } from "../state/round.ts";
import type { SyncStatus } from "../state/sync-state.ts";
import type { Verdict } from "../state/verdict.ts";
import { troubleWithDetail } from "./details.ts";
import { verdictSummary } from "./summary.ts";

/** The error of a requested round that did not put the clock right; null: it did, or is about to. */
export function refusalOf(verdict: Verdict): StewardError | null {
  const code = errorCodes[verdict.kind];
  const summary = verdictSummary(verdict);
  return code === null || summary === null ? null : new StewardError(code, summary.detail);
}

/** The daemon that sets the clock does not know the time. */
export function daemonRefusal(mode: ClockMode | null, report: DaemonReport | null): StewardError {
  const why =
    mode?.kind === "delegate" && report?.trouble
      ? troubleWithDetail(report.trouble, mode.daemon).detail
      : "It has no source that it can use.";
  return new StewardError("no_time_source", `The time daemon does not know the time. ${why}`);
}

/** Throws `time_sync_disabled`, `conflict_discipliner`. */
export function requireMayMeasure(
  mode: ClockMode,
  { isStepAllowed }: Pick<RoundOptions, "isStepAllowed">,
): void {
  if (mode.kind === "manual") {
    throw new StewardError(
      "time_sync_disabled",
      "time.mode is manual: no time source is asked. Set the clock with `steward time set TIME`, or choose another mode.",
    );
  }
  if (mode.kind === "observe" && mode.because === "other_daemon" && isStepAllowed) {
    throw new StewardError(
      "conflict_discipliner",
      `${mode.daemon} sets this clock, and time.mode is discipline. Stop one of the two, or set time.mode to auto.`,
    );
  }
}

export interface SetByHandFacts {
  readonly mode: ClockMode | null;
  readonly syncStatus: Pick<SyncStatus, "trust" | "state">;
  readonly floorSeconds: number;
  readonly ceilingSeconds: number;
}

/** Throws `conflict_discipliner` if the clock is kept right, except in manual; `time_implausible`, `validation_failed`. */
export function requireMaySet(time: Date, { mode, syncStatus, ...bounds }: SetByHandFacts): void {
  const seconds = time.getTime() / 1_000;
  if (Number.isNaN(seconds)) {
    throw new StewardError("validation_failed", "The time must be a date such as 2026-11-20T14:03:00Z.");
  }
  const isOurs = mode?.kind === "manual" || syncStatus.trust === "none" || syncStatus.state === "manual";
  if (!isOurs) {
    const keeper = mode?.kind === "delegate" ? mode.daemon : "the time servers";
    throw new StewardError(
      "conflict_discipliner",
      `The clock is kept right by ${keeper}, and was not set by hand. To set it all the same, first set time.mode to manual.`,
    );
  }
  if (seconds < bounds.floorSeconds) {
    const floor = new Date(bounds.floorSeconds * 1_000).toISOString();
    throw new StewardError(
      "time_implausible",
      `${time.toISOString()} is past for certain: the floor is ${floor}. If the floor is wrong, as root: \`steward time floor reset\`.`,
    );
  }
  if (seconds > bounds.ceilingSeconds) {
    throw new StewardError(
      "time_implausible",
      `${time.toISOString()} is more than 15 years after this program was built. Check the year.`,
    );
  }
}

/** Another round so soon after one that succeeded is refused for so many seconds more. */
export function restingRefusal(seconds: number, what = "The clock was measured"): StewardError {
  const retryAfter = Math.ceil(seconds);
  return new StewardError(
    "rate_limited",
    `${what} a moment ago, and time servers refuse clients that ask too often. Try again in ${retryAfter} s.`,
    { details: { retryAfterSeconds: retryAfter } },
  );
}

/** null: the clock is right, or about to be. */
const errorCodes: Readonly<Record<Verdict["kind"], StewardError["code"] | null>> = {
  agreed: null,
  disturbed: null,
  to_be_confirmed: null,
  no_servers: "no_time_source",
  no_time_source: "no_time_source",
  no_majority: "no_majority",
  too_few: "no_majority",
  too_few_authenticated: "no_majority",
  suspect: "no_majority",
  panic_threshold: "panic_threshold",
  below_floor: "time_implausible",
  beyond_ceiling: "time_implausible",
};
