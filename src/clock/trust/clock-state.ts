/**
 * How far the host's clock can be relied on. `trusted`: more than half of the servers that are set
 * agree, and two at least, whether Steward asks them or chronyd; `accepted`: fewer, timesyncd, or set by hand;
 * `none`: the time is not known.
 */
export type ClockTrust = "trusted" | "accepted" | "none";

/** What is known of the host's clock, as sign-in needs it. */
export interface ClockState {
  readonly trust: ClockTrust;
  /** In the words of the time-sync status: `synchronised`, `holdover`, `unsynchronised`… */
  readonly state: string;
  /** null: nobody has looked. */
  readonly synchronised: boolean | null;
  /** Seconds to add to the host's clock that were measured and are not applied yet; positive: the host is behind. */
  readonly offsetSeconds: number;
  readonly lastSyncAt: Date | null;
  /** Seconds that the clock was stepped by last; positive: forward. */
  readonly lastStepSeconds: number | null;
  readonly lastStepAt: Date | null;
}

export type ReadClock = () => ClockState;

/** A clock that nobody observes. */
export const unobservedClock: ClockState = {
  trust: "none",
  state: "unobserved",
  synchronised: null,
  offsetSeconds: 0,
  lastSyncAt: null,
  lastStepSeconds: null,
  lastStepAt: null,
};
