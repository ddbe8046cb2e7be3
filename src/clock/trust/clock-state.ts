/**
 * The trust in the host's clock. `trusted`: more than half of the configured servers agree, and at least two,
 * measured by Steward or by chronyd; `accepted`: fewer, timesyncd, or set by hand; `none`: the time is not known.
 */
export type ClockTrust = "trusted" | "accepted" | "none";

/** The state of the host's clock, as sign-in needs it. */
export interface ClockState {
  readonly trust: ClockTrust;
  /** In the words of the time-sync status: `synchronised`, `holdover`, `unsynchronised`… */
  readonly state: string;
  /** null: not measured yet. */
  readonly synchronised: boolean | null;
  /** Measured seconds that are not applied to the host's clock yet; positive: the host is behind. */
  readonly offsetSeconds: number;
  readonly lastSyncAt: Date | null;
  /** Seconds that the clock was stepped by last; positive: forward. */
  readonly lastStepSeconds: number | null;
  readonly lastStepAt: Date | null;
}

export type ReadClock = () => ClockState;
