import type { Release, Updates } from "../../contract/types.ts";
import type { StoredCheck } from "../update-record.ts";

/** All that the state of updates follows from. */
export interface Situation {
  /** Why nothing works at all; null: it does. */
  readonly blocked: string | null;
  readonly phase: "checking" | "downloading" | null;
  /** What is being fetched. */
  readonly fetching: string | null;
  readonly isEnabled: boolean;
  readonly server: string;
  readonly isClockTrusted: boolean;
  readonly lastCheck: StoredCheck | null;
  /** Kinds that it could not judge, a sentence each. */
  readonly blockers: readonly string[];
  /** What that check found for other devices and channels, in a sentence; null: nothing. */
  readonly forOthers: string | null;
  /** For this device, with what stands in their way. */
  readonly releases: readonly Release[];
  /** Ids of those that the clock alone holds up. */
  readonly waitingForClock: ReadonlySet<string>;
  /** Ids of those that the windows alone hold up. */
  readonly waitingForWindow: ReadonlySet<string>;
  /** Ids of those that are not taken by themselves, so that they are nothing newer to do. */
  readonly setAside: ReadonlySet<string>;
  /** What a trial that is under way is in; null: nothing is on trial. */
  readonly trial: State | null;
  /** What the last attempt to apply something has left behind. */
  readonly outcome: State | null;
  /** What went wrong with what was asked for last, in a sentence. */
  readonly problem: string | null;
}

/** A state, and one sentence or a few about it. */
export type State = Pick<Updates, "state" | "message">;

/** In which state updates are, and one sentence that a person can act on. Depends on nothing but the situation. */
export function stateOf(situation: Situation): State {
  const { trial, blocked, phase, fetching, blockers, problem } = situation;
  // Whatever else is so, this goes on.
  if (trial !== null) return trial;
  if (blocked !== null) return { state: "blocked", message: blocked };
  if (phase === "downloading")
    return { state: "downloading", message: `Downloading ${fetching ?? "a release"}.` };
  if (phase === "checking") return { state: "checking", message: "Looking for updates." };
  const { state, message } = restingState(situation);
  return { state, message: [message, ...blockers, ...(problem === null ? [] : [problem])].join(" ") };
}

function restingState(situation: Situation): State {
  const { releases, setAside, outcome } = situation;
  const waiting = waitingForClock(situation);
  if (waiting !== null) return { state: "waiting_for_clock", message: waiting };
  const active = releases.filter(({ id }) => !setAside.has(id));
  const staged = active.filter((release) => release.staged);
  if (staged.length > 0) return stagedState(situation, staged);
  if (active.length > 0) return availableState(active);
  if (outcome !== null) return { ...outcome, message: `${outcome.message}${lately(situation)}` };
  return releases.length > 0 ? availableState(releases) : { state: "idle", message: quiet(situation) };
}

function availableState(releases: readonly Release[]): State {
  const why = releases.find(({ hindrance }) => hindrance !== null)?.hindrance;
  const next = why ? `: ${why}` : "; the next check fetches it";
  return { state: "available", message: `${named(releases)} is available${next}.` };
}

/** What came of looking since then, where there is something to say. */
function lately(situation: Situation): string {
  return situation.lastCheck === null ? "" : ` ${quiet(situation)}`;
}

/** What a release is called in sentences. */
export function nameOf({ kind, name, version }: Pick<Release, "kind" | "name" | "version">): string {
  return kind === "rules" ? `the rules ${name} ${version}` : `${name} ${version}`;
}

function waitingForClock({ isClockTrusted, lastCheck, releases, waitingForClock }: Situation): string | null {
  if (isClockTrusted) return null;
  const advice =
    "Updates go on by themselves when the clock is synchronised or set: see the time status, or `steward time status`";
  const held = releases.filter(({ id, staged }) => !staged && waitingForClock.has(id));
  if (held.length > 0) {
    return `${named(held)} is available, and nobody vouches for this device's clock, so it is not fetched yet. ${advice}.`;
  }
  if (lastCheck?.outcome !== "waiting_for_clock") return null;
  return `The last check could not tell whether what the server gives out has expired, since nobody vouches for this device's clock. ${advice}.`;
}

function stagedState({ waitingForWindow }: Situation, staged: readonly Release[]): State {
  const what = `${named(staged)} has been downloaded and verified`;
  const why = staged.find(({ hindrance }) => hindrance !== null)?.hindrance;
  if (staged.every(({ id }) => waitingForWindow.has(id))) {
    return { state: "waiting_for_window", message: `${what}: ${why}.` };
  }
  return { state: "staged", message: `${what}, and can be applied${why ? `: ${why}` : ""}.` };
}

function quiet({ isEnabled, server, lastCheck, forOthers }: Situation): string {
  if (server === "" && lastCheck === null)
    return "No update server is set: set update.ota.server to get updates.";
  if (lastCheck === null) {
    return isEnabled
      ? "No check has been made yet: the first one comes by itself."
      : "No check has been made yet, and update.ota.enabled is off: check by hand, or turn it on.";
  }
  const { outcome, detail, at } = lastCheck;
  if (outcome === "ok") {
    const nothing = `The last check, at ${at}, found nothing newer for this device.`;
    return [nothing, detail, forOthers].filter((sentence) => sentence !== null).join(" ");
  }
  return `The last check, at ${at}, failed: ${detail ?? "no reason is known"}`;
}

function named(releases: readonly Release[]): string {
  const names = releases.map(nameOf).join(" and ");
  return names.charAt(0).toUpperCase() + names.slice(1);
}
