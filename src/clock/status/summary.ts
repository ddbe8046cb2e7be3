import { isVoting } from "../../contract/clock/source-intervals.ts";
import type { ClockConflict, ClockSummary } from "../../contract/types.ts";
import type { SteeringBlocker } from "../../host/ports.ts";
import type { DaemonReport } from "../daemons/external-daemon.ts";
import type { ClockMode } from "../state/mode.ts";
import type { SyncState, SyncStatus } from "../state/sync-state.ts";
import type { Verdict } from "../state/verdict.ts";
import { notSetWithDetail, summaryWithDetail, troubleWithDetail } from "./details.ts";

export interface SummaryInput {
  /** null: not known yet. */
  readonly mode: ClockMode | null;
  readonly sync: SyncState;
  readonly state: SyncStatus["state"];
  /** The daemon's last report; null: it was not read yet, or none sets the clock. */
  readonly report: DaemonReport | null;
  readonly conflict: ClockConflict | null;
  /** The lag of the host's own clock (s); negative: it is ahead; null: it is right. */
  readonly lack: number | null;
  readonly blocker: SteeringBlocker | null;
}

type Facts = Omit<ClockSummary, "detail">;

const noFacts = {
  offset_seconds: null,
  measured_at: null,
  agreeing: null,
  needed: null,
  configured: null,
  server: null,
  daemon: null,
  daemon_trouble: null,
  runs_on: false,
  not_set: null,
} as const satisfies Omit<Facts, "code">;

/** The state of the clock: the code, its facts, and the same as a sentence. */
export function clockSummary(input: SummaryInput): ClockSummary {
  return summaryWithDetail(factsOf(input), input.conflict);
}

/** The state of the agent's documents is damaged: the clock is only read. */
export function rescueSummary(): ClockSummary {
  return summaryWithDetail({ ...noFacts, code: "rescue" }, null);
}

/** The summary of a single round's verdict; null: the clock is right, or about to be. */
export function verdictSummary(verdict: Verdict): ClockSummary | null {
  const facts = verdictFacts(verdict);
  const refusal = verdict.kind === "no_time_source" ? verdict.refusal : null;
  return facts && summaryWithDetail({ ...noFacts, ...facts, ...refusal }, null);
}

function factsOf(input: SummaryInput): Facts {
  const { mode, conflict } = input;
  if (mode === null) return { ...noFacts, code: "not_measured" };
  if (conflict && mode.kind === "observe") return { ...noFacts, code: "conflict" };
  switch (mode.kind) {
    case "manual":
      return { ...noFacts, code: "manual", not_set: input.blocker && notSet(input, input.blocker) };
    case "delegate":
      return daemonFacts(input, mode.daemon);
    case "observe":
      return { ...ownFacts(input, mode), not_set: notSet(input, mode.because) };
    case "discipline":
      return ownFacts(input, mode);
  }
}

function daemonFacts({ report }: SummaryInput, daemon: string): Facts {
  const facts = { ...noFacts, daemon };
  if (!report) return { ...facts, code: "daemon_not_read" };
  const daemon_trouble = report.trouble && troubleWithDetail(report.trouble, daemon);
  if (!report.isSynchronised) return { ...facts, code: "daemon_unsynchronised", daemon_trouble };
  if (report.isRefused === true) return { ...facts, ...refusedVotes(report), daemon_trouble };
  const agreeing = report.sources.filter(isVoting).length;
  const votes = report.trust === "accepted" ? votesOf(agreeing, report.sources.length) : null;
  return { ...facts, ...votes, code: "daemon_synchronised", daemon_trouble };
}

/** The votes of a daemon's authenticated sources, of which all its sources would have to be more than half. */
function refusedVotes({ sources }: DaemonReport): Pick<Facts, "code" | "agreeing" | "configured" | "needed"> {
  const authenticated = sources.filter((source) => source.authenticated);
  return {
    code: "too_few_authenticated",
    agreeing: authenticated.filter(isVoting).length,
    configured: authenticated.length,
    needed: Math.floor(sources.length / 2) + 1,
  };
}

function ownFacts(input: SummaryInput, mode: ClockMode): Facts {
  const { verdict, synced } = input.sync;
  const { state } = input;
  const facts = verdict && verdictFacts(verdict);
  if (facts) {
    const isPending = facts.code === "to_be_confirmed";
    return { ...noFacts, ...facts, runs_on: !isPending && synced !== null && state !== "faulty" };
  }
  if (state === "acquiring") return { ...noFacts, code: "acquiring" };
  if (state === "manual") return { ...noFacts, code: "set_by_hand" };
  const votes = synced?.trust === "accepted" ? votesOf(synced.agreeing, synced.configured) : null;
  // The time is right, and the host's own clock does not show it.
  const isOff = mode.kind === "observe" && input.lack !== null;
  return { ...noFacts, ...votes, code: isOff ? "host_not_corrected" : "synchronised" };
}

function verdictFacts(verdict: Verdict): (Partial<Facts> & Pick<Facts, "code">) | null {
  switch (verdict.kind) {
    case "agreed":
    case "disturbed":
      return null;
    case "no_servers":
    case "no_majority":
      return { code: verdict.kind };
    case "no_time_source":
      return { code: verdict.kind, server: verdict.refusal?.server ?? null };
    case "too_few":
    case "too_few_authenticated": {
      const { kind: code, ...votes } = verdict;
      return { code, ...votes };
    }
    case "suspect":
      return { code: "suspect", server: verdict.id, offset_seconds: verdict.seconds };
    case "to_be_confirmed":
    case "panic_threshold":
      return { code: verdict.kind, offset_seconds: verdict.seconds };
    case "below_floor":
    case "beyond_ceiling":
      return { code: verdict.kind, measured_at: dateOf(verdict.measuredSeconds) };
  }
}

/** The numbers behind a time that is accepted and not trusted; null where they are not the reason: one server, or enough. */
export function votesOf(
  agreeing: number,
  configured: number,
): { readonly agreeing: number; readonly configured: number; readonly needed: number } | null {
  const needed = Math.floor(configured / 2) + 1;
  return configured < 2 || agreeing >= needed ? null : { agreeing, configured, needed };
}

function notSet(
  input: SummaryInput,
  code: NonNullable<ClockSummary["not_set"]>["code"],
): NonNullable<ClockSummary["not_set"]> {
  return notSetWithDetail({ code, offset_seconds: input.lack }, input.mode?.kind !== "manual");
}

/** Seconds of an offset below which a clock is called right. */
const exactSeconds = 0.001;

/**
 * The lag of the host's own clock where it shows, to a tenth of a millisecond: two readings of a clock that nothing moves
 * differ by the precision of floating point, and the summary would be another one each time.
 */
export function lackOf(hostOffsetSeconds: number): number | null {
  return Math.abs(hostOffsetSeconds) < exactSeconds ? null : Math.round(hostOffsetSeconds * 1e4) / 1e4;
}

/** null: no date that can be written. */
export function dateOf(seconds: number): string | null {
  return Number.isFinite(seconds) && Math.abs(seconds) < 8.64e12
    ? new Date(seconds * 1_000).toISOString()
    : null;
}
