import type { Release, UpdateProblem, UpdateSummary, Updates } from "../../contract/types.ts";
import type { UpdateFacts } from "../../contract/update-facts.ts";
import { reasonOfError } from "../../releases/outcome-reasons.ts";
import type { StoredCheck } from "../../releases/update-record.ts";
import { lasting } from "../../store/documents/lasting.ts";
import { createDerived } from "../../store/documents/look-up.ts";
import { type BlockReason, releaseHold } from "../facts/hold-reason.ts";
import { summarySentence } from "../facts/update-sentences.ts";
import type { ReleaseName } from "../facts/updater-options.ts";

/** All that the state of updates follows from. */
export interface Situation {
  /** The reason that blocks all updates; null: none does. */
  readonly blocked: BlockReason | null;
  readonly phase: "checking" | "downloading" | null;
  /** The release that is being downloaded. */
  readonly downloading: ReleaseName | null;
  readonly isEnabled: boolean;
  readonly server: string;
  readonly isClockTrusted: boolean;
  readonly lastCheck: StoredCheck | null;
  /** Recalls, and kinds that it could not verify: a sentence each. */
  readonly warnings: readonly string[];
  /** A sentence about releases that this check found for other devices and channels; null: there are none. */
  readonly forOthers: string | null;
  /** For this device, with why they are held. */
  readonly releases: readonly Release[];
  /** The state of a trial in progress; null: nothing is on trial. */
  readonly trial: State | null;
  /** The state that the last attempt to apply something has left behind. */
  readonly outcome: State | null;
  /** The problems of the last request, and of the last one of each kind: the gravest first. */
  readonly problems: readonly UpdateProblem[];
  /** Keeps the state in which there is nothing to do. */
  readonly quietState: QuietStateOf;
}

/** A state, and what there is to say about it. */
export type State = Pick<Updates, "state" | "summary">;

/** In which state updates are, and what a person can do about it. Depends on nothing but the situation. */
export function stateOf(situation: Situation): State {
  const { trial, blocked, phase, downloading, warnings, problems } = situation;
  // A trial goes on whatever else is so.
  if (trial !== null) return trial;
  if (blocked !== null)
    return stateWith("blocked", blocked.code, { hold: releaseHold(blocked), reason: blocked.reason });
  if (phase === "downloading")
    return stateWith(phase, phase, { releases: downloading === null ? [] : [downloading] });
  if (phase === "checking") return stateWith(phase, phase);
  const resting = restingState(situation);
  if (warnings.length === 0 && problems.length === 0) return resting;
  const { state, summary } = resting;
  const detail = [summary.detail, ...warnings, ...problems.map((problem) => problem.detail)].join(" ");
  return { state, summary: { ...summary, detail, problem: problems[0] ?? null } };
}

/** A state whose summary has this code and these facts; \`more\`: sentences behind that of the code. */
export function stateWith(
  state: State["state"],
  code: UpdateSummary["code"],
  facts: Partial<Omit<UpdateSummary, "code" | "detail">> & Pick<UpdateFacts, "setting"> = {},
  more: readonly string[] = [],
): State {
  const { releases = [], at = null, reason = null, hold = null } = facts;
  const named = releases.map(({ kind, name, version }) => ({ kind, name, version }));
  const detail = [summarySentence(code, facts), ...more].join(" ");
  return { state, summary: { code, detail, releases: named, at, reason, hold, problem: null } };
}

function restingState(situation: Situation): State {
  const { releases, outcome } = situation;
  const waiting = waitingForClock(situation);
  if (waiting !== null) return waiting;
  // A held or deferred release is nothing new to do.
  const active = releases.filter(({ hold }) => hold?.code !== "held" && hold?.code !== "deferred");
  const staged = active.filter((release) => release.staged);
  if (staged.length > 0) return stagedState(staged);
  if (active.length > 0) return availableState(active);
  if (outcome !== null) return withLastCheck(outcome, situation);
  return releases.length > 0 ? availableState(releases) : quietStateIn(situation);
}

function availableState(releases: readonly Release[]): State {
  return stateWith("available", "available", { releases: [...releases], hold: firstHold(releases) });
}

function firstHold(releases: readonly Release[]): Release["hold"] {
  return releases.find(({ hold }) => hold !== null)?.hold ?? null;
}

/** The state that an attempt has left behind, with what came of checking since then. */
function withLastCheck({ state, summary }: State, situation: Situation): State {
  if (situation.lastCheck === null) return { state, summary };
  return {
    state,
    summary: { ...summary, detail: `${summary.detail} ${quietStateIn(situation).summary.detail}` },
  };
}

function waitingForClock({ isClockTrusted, lastCheck, releases }: Situation): State | null {
  if (isClockTrusted) return null;
  const held = releases.filter(({ hold, staged }) => !staged && hold?.code === "clock_not_trusted");
  if (held.length > 0)
    return stateWith("waiting_for_clock", "waiting_for_clock", { releases: held, hold: firstHold(held) });
  if (lastCheck?.outcome !== "waiting_for_clock") return null;
  return stateWith("waiting_for_clock", "check_waiting_for_clock", { at: lastCheck.at });
}

function stagedState(staged: readonly Release[]): State {
  const isForWindow = staged.every(({ hold }) => hold?.code === "window");
  const facts = { releases: [...staged], hold: firstHold(staged) };
  return stateWith(isForWindow ? "waiting_for_window" : "staged", "staged", facts);
}

function quietStateIn({ isEnabled, server, lastCheck, forOthers, quietState }: Situation): State {
  return quietState(isEnabled, server, lastCheck, forOthers);
}

/** The state of updates in which there is nothing to do. */
export type QuietStateOf = typeof quietStateOf;

/** Keeps the last such state: a device is in it most of the time, and its sentences are made of many parts. */
export function createQuietState(): QuietStateOf {
  return createDerived((...facts: Parameters<QuietStateOf>) => {
    const { state, summary } = quietStateOf(...facts);
    return { state, summary: lasting(summary) };
  });
}

function quietStateOf(
  isEnabled: boolean,
  server: string,
  lastCheck: StoredCheck | null,
  forOthers: string | null,
): State {
  if (server === "" && lastCheck === null)
    return stateWith("idle", "server_not_set", { setting: "/update/ota/server" });
  if (lastCheck === null) {
    if (isEnabled) return stateWith("idle", "not_checked");
    return stateWith("idle", "not_checked_disabled", { setting: "/update/ota/enabled" });
  }
  const { outcome, code, detail, at } = lastCheck;
  if (outcome === "ok") {
    const more = [detail, forOthers].filter((sentence) => sentence !== null);
    return stateWith("idle", "nothing_newer", { at }, more);
  }
  const reason = code === null ? null : reasonOfError({ code, message: detail ?? "No reason is known." });
  return stateWith("idle", "check_failed", { at, reason });
}
