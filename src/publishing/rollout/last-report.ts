import { type ReportedState, reportedStates } from "../../releases/rollout-report.ts";

/** The last report of a device about a release. */
interface LastReport {
  readonly state: ReportedState;
  /** The wave of the device had come. */
  readonly isReached: boolean;
  /** Time of its line, since 1970; null: unknown. */
  readonly seconds: number | null;
}

/** States and the flag in five bits, the time above them. */
const packedBits = 32;

/** A number: it costs a tenth of an object, and there may be a million. */
export function packed({ state, isReached, seconds }: LastReport): number {
  return (seconds ?? 0) * packedBits + reportedStates.indexOf(state) * 2 + (isReached ? 1 : 0);
}

function unpacked(report: number): LastReport {
  const bits = report % packedBits;
  const seconds = (report - bits) / packedBits;
  const state = reportedStates[bits >> 1] ?? "offered";
  return { state, isReached: bits % 2 === 1, seconds: seconds === 0 ? null : seconds };
}

/** A device that is silent after one of these, once its wave had come, may have been lost to the release. */
const waitingStates: readonly ReportedState[] = ["offered", "staged"];

/**
 * Counts packed reports by their states, and the silent devices that had the release or could begin it. `oldBefore`:
 * seconds since 1970; null: none is old.
 */
export function countReports(reports: ReadonlyMap<string, number> | undefined, oldBefore: number | null) {
  const states = Object.fromEntries(reportedStates.map((state) => [state, 0])) as Record<
    ReportedState,
    number
  >;
  let [silentGood, silentOthers] = [0, 0];
  for (const report of reports?.values() ?? []) {
    const { state, isReached, seconds } = unpacked(report);
    states[state] += 1;
    if (oldBefore === null || seconds === null || seconds >= oldBefore) continue;
    if (state === "good") silentGood += 1;
    else if (state === "trial" || (waitingStates.includes(state) && isReached)) silentOthers += 1;
  }
  return { states, silentGood, silentOthers };
}
