import type { TimeSync } from "../../contract/types.ts";
import type { ClockReading } from "../../host/ports.ts";
import type { DaemonReport } from "../daemons/external-daemon.ts";
import { isMajority } from "../discipline/discipline.ts";
import { phi } from "../ntp/sample.ts";
import type { ClockMode } from "./mode.ts";
import type { Round } from "./round.ts";
import type { Verdict } from "./verdict.ts";

/** The clock by the last rounds; pure. */
export interface SyncState {
  /** null: no server has answered since the mode began. */
  readonly verdict: Verdict | null;
  readonly synced: Synced | null;
  /** Monotonic seconds at which an administrator set the clock; null: not set by hand, or measured since. */
  readonly setByHandAt: number | null;
}

/** The last measurement by which the clock was accepted or trusted. */
export interface Synced {
  readonly trust: "trusted" | "accepted";
  /** Authenticated servers among those that agreed are a majority on their own. */
  readonly isAuthenticated: boolean;
  /** The number of configured servers that agreed on it. */
  readonly agreeing: number;
  readonly configured: number;
  readonly atMonotonic: number;
  readonly at: Date;
  readonly uncertaintySeconds: number;
  readonly jitterSeconds: number;
  /** Growth of the uncertainty, in seconds per second. */
  readonly growth: number;
}

export const notSynced: SyncState = { verdict: null, synced: null, setByHandAt: null };

export interface ClockAfterRound extends ClockReading {
  /** The estimate of its error; null: none yet. */
  readonly believed: { readonly offsetSeconds: number; readonly frequencyDeviationPpm: number } | null;
}

/** The frequency may err by so many standard deviations, and by no more than the kernel can correct. */
const deviations = 4;
const largestGrowth = 500e-6;

/** Seconds: a time that may err by more, such as a late answer's, is accepted at most. */
export const exactSeconds = 0.5;

/** The state after one more round; `now` is read on the steered clock after the round's correction. */
export function afterRound(
  sync: SyncState,
  { verdict, measurement, action }: Pick<Round, "verdict" | "measurement" | "action">,
  now: ClockAfterRound,
): SyncState {
  if (verdict.kind === "disturbed") return sync;
  if (verdict.kind !== "agreed" || !measurement) return { ...sync, verdict };
  const { atSeconds, jitterSeconds, agreeing, configured, isAuthenticated } = measurement;
  const { believed } = now;
  const left = measurement.offsetSeconds - (action?.kind === "step" ? action.seconds : 0);
  // The filter believes another offset than was measured last, and the interval is around the measured one.
  const uncertaintySeconds =
    measurement.uncertaintySeconds + Math.abs(left - (believed?.offsetSeconds ?? left));
  const isTrusted = isMajority(measurement) && measurement.uncertaintySeconds <= exactSeconds;
  const synced = {
    trust: isTrusted ? ("trusted" as const) : ("accepted" as const),
    ...{ isAuthenticated, agreeing, configured },
    // The time of the samples, which may be older than the round.
    atMonotonic: atSeconds,
    at: new Date((now.wallSeconds - (now.monotonicSeconds - atSeconds)) * 1_000),
    uncertaintySeconds,
    jitterSeconds,
    growth: Math.min(largestGrowth, phi + (deviations * (believed?.frequencyDeviationPpm ?? 0)) / 1e6),
  };
  return { verdict, synced, setByHandAt: null };
}

export interface SyncStatus {
  readonly state: TimeSync["state"];
  readonly trust: TimeSync["trust"];
  /** The authenticated ones among the sources that agree are a majority on their own; of a single source: it is. */
  readonly isAuthenticated: boolean;
  /** Seconds; null: unknown. */
  readonly uncertaintySeconds: number | null;
}

/**
 * Seconds of uncertainty up to which a clock without further corrections keeps its trust: a third of the time step of a
 * code, which needs the time most exactly. At 15 ppm that is a week (docs/design/trusted-time.md, rule 14). It is more where
 * `time.max_root_distance` is: so much may a server's time err.
 */
const holdoverSeconds = 10;

/** Polls without an agreement after which a clock is in holdover, and the least of it in seconds. */
const missedPolls = 3;
const leastMissedSeconds = 300;

interface Present {
  readonly monotonicSeconds: number;
  readonly pollSeconds: number;
  readonly mostDistanceSeconds: number;
}

export function syncStatusOf(
  mode: ClockMode | null,
  sync: SyncState,
  report: DaemonReport | null,
  now: Present,
): SyncStatus {
  if (mode?.kind === "delegate") {
    const { trust = "none", authenticated = false, uncertaintySeconds = null } = report ?? {};
    return { state: "delegated", trust, isAuthenticated: authenticated, uncertaintySeconds };
  }
  const isSetByHand = sync.setByHandAt !== null;
  if (mode?.kind === "manual" || (isSetByHand && !sync.synced && !isContradicted(sync))) {
    const trust = isSetByHand ? "accepted" : "none";
    return { state: "manual", trust, isAuthenticated: false, uncertaintySeconds: null };
  }
  return statusByServers(sync, now);
}

function statusByServers(sync: SyncState, now: Present): SyncStatus {
  const { verdict, synced } = sync;
  const untrusted = { trust: "none", isAuthenticated: false } as const;
  const unknown = { ...untrusted, uncertaintySeconds: null } as const;
  if (isContradicted(sync)) return { state: "faulty", ...unknown };
  const isPending = verdict?.kind === "to_be_confirmed";
  if (!synced) return { state: verdict === null || isPending ? "acquiring" : "unsynchronised", ...unknown };
  const ageSeconds = now.monotonicSeconds - synced.atMonotonic;
  const uncertaintySeconds = synced.uncertaintySeconds + synced.growth * ageSeconds;
  const longestSeconds = Math.max(holdoverSeconds, now.mostDistanceSeconds);
  if (uncertaintySeconds > longestSeconds) return { state: "freerun", ...untrusted, uncertaintySeconds };
  // A single poll that demands a large step neither moves the clock nor ends its trust.
  const isMissed = isPending || ageSeconds > Math.max(leastMissedSeconds, missedPolls * now.pollSeconds);
  const { trust, isAuthenticated } = synced;
  return { state: isMissed ? "holdover" : "synchronised", trust, isAuthenticated, uncertaintySeconds };
}

/** The sources say a time that contradicts the clock, each other, or any possible time. */
function isContradicted({ verdict }: SyncState): boolean {
  return ["suspect", "panic_threshold", "below_floor", "beyond_ceiling"].includes(verdict?.kind ?? "");
}
