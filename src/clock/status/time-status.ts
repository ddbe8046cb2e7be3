import type { ClockInShort } from "../../contract/clock/clock-in-short.ts";
import { timeServer } from "../../contract/clock/time-server.ts";
import type { ClockConflict, ClockSummary, Settings, TimeSync } from "../../contract/types.ts";
import type { KernelClock } from "../../host/ports.ts";
import { lasting } from "../../store/documents/lasting.ts";
import { createDerived } from "../../store/documents/look-up.ts";
import type { Counters } from "../counters.ts";
import type { DaemonReport } from "../daemons/external-daemon.ts";
import type { Steering } from "../discipline/steering.ts";
import type { SourcePool } from "../ntp/source-pool.ts";
import { conflictOf } from "../state/external-change.ts";
import type { LoopState } from "../state/loop-state.ts";
import type { ClockMode } from "../state/mode.ts";
import type { SyncStatus } from "../state/sync-state.ts";
import type { FloorKeeper } from "../trust/floor-keeper.ts";
import { reasonWithDetail } from "./details.ts";
import type { History } from "./history.ts";
import { sourceViews } from "./source-view.ts";
import { clockSummary, lackOf } from "./summary.ts";

export interface ShortFacts {
  readonly counters: Counters;
  readonly steering: Steering;
  readonly pool: SourcePool;
  readonly settings: Settings["time"];
  readonly loop: LoopState;
  readonly syncStatus: SyncStatus;
  /** The lag of the host's own clock (s). */
  readonly hostOffsetSeconds: number;
  readonly nowMilliseconds: number;
  readonly summaryOf: SummaryOf;
}

export interface StatusFacts extends ShortFacts {
  readonly history: History;
  readonly floor: Pick<FloorKeeper, "atSeconds">;
  readonly pollSeconds: number;
  readonly kernel: KernelClock | null;
  readonly offered: readonly string[];
}

/** The summary in this state of the loop, as long as the host's clock lacks so much. */
export type SummaryOf = (loop: LoopState, state: SyncStatus["state"], lack: number | null) => ClockSummary;

/** Keeps the last summary: its sentences cost more than the rest, and change when the clock does. */
export function createSummary(): SummaryOf {
  const summaryOf = createDerived(
    (
      mode: LoopState["mode"],
      backOff: LoopState["backOff"],
      blocker: LoopState["blocker"],
      sync: LoopState["sync"],
      report: DaemonReport | null,
      state: SyncStatus["state"],
      lack: number | null,
    ) =>
      lasting(
        clockSummary({ mode, state, lack, blocker, sync, report, conflict: conflictOf(mode, backOff) }),
      ),
  );
  // The state of the loop is another object after each check.
  return (loop, state, lack) =>
    summaryOf(loop.mode, loop.backOff, loop.blocker, loop.sync, reportIn(loop), state, lack);
}

export function timeSyncInShort(
  facts: ShortFacts,
  { source, sources, offset_seconds }: Figures = figuresOf(facts),
): ClockInShort {
  const { loop, syncStatus, nowMilliseconds } = facts;
  const syncedAt = reportIn(loop) ? loop.reportedAt : (loop.sync.synced?.atMonotonic ?? null);
  const ageSeconds = syncedAt === null ? null : facts.steering.read().monotonicSeconds - syncedAt;
  const lack = lackOf(offset_seconds ?? facts.hostOffsetSeconds);
  return {
    mode: loop.mode?.kind ?? facts.settings.mode,
    state: syncStatus.state,
    ...{ trust: syncStatus.trust, authenticated: syncStatus.isAuthenticated },
    ...{ source, sources, offset_seconds },
    uncertainty_seconds: syncStatus.uncertaintySeconds,
    // By the present clock, however it has been stepped since.
    last_sync_at: ageSeconds === null ? null : new Date(nowMilliseconds - ageSeconds * 1_000).toISOString(),
    last_sync_age_seconds: ageSeconds,
    server_time: new Date(nowMilliseconds).toISOString(),
    // A virtual clock that is still slewed is not the right time either.
    summary: facts.summaryOf(loop, syncStatus.state, lack),
    counters: facts.counters.read(),
  };
}

export function timeSyncStatus(facts: StatusFacts): TimeSync {
  const { loop, settings, pollSeconds, kernel } = facts;
  const { mode, lastStep } = loop;
  const report = reportIn(loop);
  const figures = figuresOf(facts);
  return {
    ...timeSyncInShort(facts, figures),
    ...figures,
    poll_seconds: report ? report.pollSeconds : mode?.kind === "manual" ? null : pollSeconds,
    last_step: lastStep?.isOfHost ? { at: lastStep.at.toISOString(), seconds: lastStep.seconds } : null,
    floor_at: new Date(facts.floor.atSeconds() * 1_000).toISOString(),
    kernel: kernel && {
      synchronised: kernel.isSynchronised,
      max_error_seconds: kernel.maxErrorSeconds,
      est_error_seconds: kernel.estErrorSeconds,
      frequency_ppm: kernel.frequencyPpm,
    },
    discipliner: disciplinerOf(mode, conflictOf(mode, loop.backOff)),
    servers: {
      in_effect: mode?.kind === "discipline" || mode?.kind === "observe",
      offered: [...facts.offered],
      configured: settings.servers.map((entry) => timeServer(entry).host),
    },
    rtc: loop.realTimeClock?.toISOString() ?? null,
    history: historyOf(facts),
  };
}

function reportIn({ mode, report }: LoopState): DaemonReport | null {
  return mode?.kind === "delegate" ? report : null;
}

type Figures = Pick<TimeSync, keyof ReturnType<typeof ownFigures>>;

function figuresOf(facts: ShortFacts): Figures {
  const report = reportIn(facts.loop);
  return report ? figuresOfReport(report) : ownFigures(facts);
}

function ownFigures({ steering, pool, loop, hostOffsetSeconds }: ShortFacts) {
  const last = pool.last();
  const peer = last?.ratedSources.find(({ source }) => source.id === last.peer);
  const sample = peer?.estimate?.sample;
  const believed = steering.believed();
  const { synced, setByHandAt } = loop.sync;
  const isByHand = loop.mode?.kind === "manual" || (setByHandAt !== null && !synced);
  const id = peer?.source.id ?? "";
  const ntp =
    sample && ({ id, type: "ntp", host: id, stratum: sample.stratum, refid: sample.refid } as const);
  const byHand = { id: "by-hand", type: "manual", host: "a person", stratum: null, refid: null } as const;
  return {
    source: synced && ntp ? ntp : isByHand && setByHandAt !== null ? byHand : null,
    offset_seconds: believed && synced ? hostOffsetSeconds + believed.offsetSeconds : null,
    delay_seconds: sample?.delaySeconds ?? null,
    jitter_seconds: synced?.jitterSeconds ?? null,
    root_delay_seconds: sample?.rootDelaySeconds ?? null,
    root_dispersion_seconds: sample?.rootDispersionSeconds ?? null,
    frequency_ppm: believed?.frequencyPpm ?? null,
    leap: last?.leap ?? ("unknown" as const),
    sources: sourceViews(pool, { verdict: loop.sync.verdict, hostOffsetSeconds }),
  };
}

function figuresOfReport(report: DaemonReport): Figures {
  const { source } = report;
  return {
    source: source && { ...source, type: "daemon" },
    offset_seconds: report.offsetSeconds,
    delay_seconds: null,
    jitter_seconds: null,
    root_delay_seconds: report.rootDelaySeconds,
    root_dispersion_seconds: report.rootDispersionSeconds,
    frequency_ppm: report.frequencyPpm,
    leap: report.leap,
    sources: report.sources.map((one) => ({
      ...one,
      reason: one.reason && reasonWithDetail(one.reason, one.state),
    })),
  };
}

function disciplinerOf(mode: ClockMode | null, conflict: ClockConflict | null): TimeSync["discipliner"] {
  const daemon = mode && "daemon" in mode ? mode.daemon : null;
  const name = mode?.kind === "discipline" ? "steward" : daemon;
  return { name, active: name !== null, conflict };
}

/** By the present clock, which may have been stepped since. */
function historyOf({ history, steering, nowMilliseconds }: StatusFacts): TimeSync["history"] {
  const { monotonicSeconds } = steering.read();
  return history
    .points()
    .map(({ atMonotonic, offsetSeconds, uncertaintySeconds }) => ({
      at: new Date(nowMilliseconds - (monotonicSeconds - atMonotonic) * 1_000).toISOString(),
      offset_seconds: offsetSeconds,
      uncertainty_seconds: uncertaintySeconds,
    }));
}
