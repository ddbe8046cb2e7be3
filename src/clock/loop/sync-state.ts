import type { TimeSync } from "../../contract/types.ts";
import type { ClockReading } from "../../host/ports.ts";
import type { DaemonReport } from "../daemons/external-daemon.ts";
import { isMajority } from "../discipline/discipline.ts";
import { phi } from "../ntp/sample.ts";
import type { ClockMode } from "./mode.ts";
import type { Round } from "./round.ts";
import type { Verdict } from "./verdict.ts";

/** What the last rounds have told of the clock; pure. */
export interface SyncState {
  /** null: nobody has answered yet since the mode began. */
  readonly verdict: Verdict | null;
  readonly synced: Synced | null;
  /** Monotonic seconds at which a person set the clock; null: nobody has, or something better came after. */
  readonly setByHandAt: number | null;
}

/** The last time that somebody vouched for the clock. */
export interface Synced {
  readonly trust: "trusted" | "accepted";
  /** How many of the servers that are set agreed on it. */
  readonly agreeing: number;
  readonly configured: number;
  readonly atMonotonic: number;
  readonly at: Date;
  readonly uncertaintySeconds: number;
  readonly jitterSeconds: number;
  /** Seconds a second by which the uncertainty grows. */
  readonly growth: number;
}

export const notSynced: SyncState = { verdict: null, synced: null, setByHandAt: null };

/** The clock after a round. */
export interface ClockAfterRound extends ClockReading {
  /** What is believed of it; null: nothing. */
  readonly believed: { readonly offsetSeconds: number; readonly frequencyDeviationPpm: number } | null;
}

/** A frequency that is not known may err by so many standard deviations, and by no more than the kernel makes up for. */
const deviations = 4;
const largestGrowth = 500e-6;

/** What is known after one more round; `now` is read on the clock that was steered by it. */
export function afterRound(
  sync: SyncState,
  { verdict, measurement, action }: Pick<Round, "verdict" | "measurement" | "action">,
  now: ClockAfterRound,
): SyncState {
  if (verdict.kind === "disturbed") return sync;
  if (verdict.kind !== "agreed" || !measurement) return { ...sync, verdict };
  const { atSeconds, jitterSeconds, agreeing, configured } = measurement;
  const { believed } = now;
  const left = measurement.offsetSeconds - (action?.kind === "step" ? action.seconds : 0);
  // The filter believes another offset than was measured last; what was measured is what the interval lies around.
  const uncertaintySeconds =
    measurement.uncertaintySeconds + Math.abs(left - (believed?.offsetSeconds ?? left));
  const synced = {
    trust: isMajority(measurement) ? ("trusted" as const) : ("accepted" as const),
    agreeing,
    configured,
    // Of the samples, which may be older than the round.
    atMonotonic: atSeconds,
    at: new Date((now.wallSeconds - (now.monotonicSeconds - atSeconds)) * 1_000),
    uncertaintySeconds,
    jitterSeconds,
    growth: Math.min(largestGrowth, phi + (deviations * (believed?.frequencyDeviationPpm ?? 0)) / 1e6),
  };
  return { verdict, synced, setByHandAt: null };
}

/** How the clock stands. */
export interface SyncStatus {
  readonly state: TimeSync["state"];
  readonly trust: TimeSync["trust"];
  /** Seconds; null: unknown. */
  readonly uncertaintySeconds: number | null;
}

/**
 * Seconds of uncertainty up to which a clock that nobody corrects any more is still vouched for: a third of the time
 * step of a code, which is what depends on it most narrowly. At 15 ppm that is a week.
 */
const holdoverSeconds = 10;

/** Polls without an agreement after which a clock is in holdover, and the least of it in seconds. */
const missedPolls = 3;
const leastMissedSeconds = 300;

/** How the clock stands now, whoever puts it right. */
export function syncStatusOf(
  mode: ClockMode | null,
  sync: SyncState,
  report: DaemonReport | null,
  now: { monotonicSeconds: number; pollSeconds: number },
): SyncStatus {
  if (mode?.kind === "delegate") {
    const { trust = "none", uncertaintySeconds = null } = report ?? {};
    return { state: "delegated", trust, uncertaintySeconds };
  }
  const isSetByHand = sync.setByHandAt !== null;
  if (mode?.kind === "manual" || (isSetByHand && !sync.synced && !isContradicted(sync))) {
    return { state: "manual", trust: isSetByHand ? "accepted" : "none", uncertaintySeconds: null };
  }
  return statusByServers(sync, now);
}

function statusByServers(
  sync: SyncState,
  now: { monotonicSeconds: number; pollSeconds: number },
): SyncStatus {
  const { verdict, synced } = sync;
  const unknown = { trust: "none", uncertaintySeconds: null } as const;
  if (isContradicted(sync)) return { state: "faulty", ...unknown };
  const isPending = verdict?.kind === "to_be_confirmed";
  if (!synced) return { state: verdict === null || isPending ? "acquiring" : "unsynchronised", ...unknown };
  const ageSeconds = now.monotonicSeconds - synced.atMonotonic;
  const uncertaintySeconds = synced.uncertaintySeconds + synced.growth * ageSeconds;
  if (uncertaintySeconds > holdoverSeconds) return { state: "freerun", trust: "none", uncertaintySeconds };
  // One poll that wants a large step neither moves the clock nor takes its trust away.
  const isMissed = isPending || ageSeconds > Math.max(leastMissedSeconds, missedPolls * now.pollSeconds);
  return { state: isMissed ? "holdover" : "synchronised", trust: synced.trust, uncertaintySeconds };
}

/** Whether somebody besides a person keeps the clock right. */
export function isSynchronised({ state, trust }: SyncStatus): boolean {
  return state === "synchronised" || state === "holdover" || (state === "delegated" && trust !== "none");
}

/** What the sources say cannot be reconciled with what the clock shows, or with what is possible at all. */
function isContradicted({ verdict }: SyncState): boolean {
  switch (verdict?.kind) {
    case "suspect":
    case "panic_threshold":
    case "below_floor":
    case "beyond_ceiling":
      return true;
    default:
      return false;
  }
}
