import type { ClockSummary, TimeSource, TimeSync } from "../../contract/types.ts";
import type { RootHelper, RunCommand, TimeDaemon, Timers } from "../../host/ports.ts";

type WithoutDetail<T> = T extends null ? null : Omit<T, "detail">;

/** One source of a time daemon, in the words of the time-sync status; null: the daemon does not say. */
export type DaemonSource = Omit<TimeSource, "reason"> & {
  readonly reason: WithoutDetail<TimeSource["reason"]>;
};

/** The reason why less is known of a daemon than could be. */
export type DaemonTrouble = WithoutDetail<NonNullable<ClockSummary["daemon_trouble"]>>;

/** The clock by the time daemon that sets it; null: the daemon does not say. */
export interface DaemonReport {
  readonly isSynchronised: boolean;
  readonly trust: TimeSync["trust"];
  /** It would be trusted, if the settings did not ask for authenticated time. */
  readonly isRefused?: boolean;
  /** A majority of its sources agrees and is authenticated; of a single source: it is. */
  readonly authenticated: boolean;
  /** Positive: the host's clock is behind, and the daemon is correcting it. */
  readonly offsetSeconds: number | null;
  /** The true offset is within offset ± this. */
  readonly uncertaintySeconds: number | null;
  readonly rootDelaySeconds: number | null;
  readonly rootDispersionSeconds: number | null;
  /** Positive: the daemon makes the clock run faster than its oscillator. */
  readonly frequencyPpm: number | null;
  readonly leap: TimeSync["leap"];
  readonly pollSeconds: number | null;
  /** The one it follows; null: none. */
  readonly source: {
    readonly id: string;
    readonly host: string;
    readonly stratum: number | null;
    readonly refid: string | null;
  } | null;
  /** The daemon can be read only: the last command to it was not permitted. */
  readonly isReadOnly: boolean;
  /** The reason why less is known than could be; null: nothing is wrong. */
  readonly trouble: DaemonTrouble | null;
  readonly sources: readonly DaemonSource[];
  /** Hosts of the daemon's configuration, as far as it says. */
  readonly configured: readonly string[];
}

/** A time daemon that sets the clock in the agent's place. */
export interface ExternalDaemon {
  readonly name: TimeDaemon;
  /** Never rejects because of the daemon: one that does not answer gives a report with `trouble`. */
  read(): Promise<DaemonReport>;
  /** Has the daemon measure and select again. Throws `forbidden`, and `conflict_discipliner` where it cannot. */
  reselect(): Promise<void>;
  /** Puts the clock right; `force`: beyond the panic threshold. Throws as `reselect`, `panic_threshold`, `no_time_source`. */
  sync(force: boolean): Promise<void>;
}

/** With `time.authenticated_only` a daemon's time is trusted only if a majority of its sources is authenticated. */
export function trustedReport(report: DaemonReport, isAuthenticatedOnly: boolean): DaemonReport {
  const isRefused = isAuthenticatedOnly && report.trust !== "none" && !report.authenticated;
  return isRefused ? { ...report, trust: "none", isRefused } : report;
}

/** True where the kernel calls its clock synchronised (STA_UNSYNC is not set); null: it cannot be read. */
export type ReadKernelFlag = () => boolean | null;

/** The parts of the host that the clients of time daemons use. */
export interface ExternalDaemonOptions {
  run: RunCommand;
  helper: RootHelper;
  timers: Timers;
  kernelIsSynchronised: ReadKernelFlag;
  /** Seconds; a larger correction has to be forced, by time.panic_threshold. */
  panicSeconds: () => number;
}

/** The report of an unreadable daemon: by the kernel the clock is kept right, not how well: `accepted` at most. */
export function reportOfKernel(isSynchronised: boolean, trouble: DaemonTrouble | null): DaemonReport {
  return {
    isSynchronised,
    trust: isSynchronised ? "accepted" : "none",
    authenticated: false,
    offsetSeconds: null,
    uncertaintySeconds: null,
    rootDelaySeconds: null,
    rootDispersionSeconds: null,
    frequencyPpm: null,
    leap: "unknown",
    pollSeconds: null,
    source: null,
    isReadOnly: false,
    trouble,
    sources: [],
    configured: [],
  };
}
