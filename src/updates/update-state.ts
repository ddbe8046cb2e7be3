import type { Release, Updates } from "../contract/types.ts";
import type { StoredCheck } from "./update-record.ts";

/** All that the state of updates follows from. */
export interface Situation {
  /** Why nothing works at all; null: it does. */
  readonly blocked: string | null;
  readonly phase: "checking" | "downloading" | null;
  /** What is being fetched. */
  readonly fetching: string | null;
  readonly isEnabled: boolean;
  readonly server: string;
  readonly isClockVouchedFor: boolean;
  readonly lastCheck: StoredCheck | null;
  /** For this device, with what stands in their way. */
  readonly releases: readonly Release[];
  /** Ids of those that the clock alone holds up. */
  readonly waitingForClock: ReadonlySet<string>;
  readonly isWindowOpen: boolean;
  readonly opensAt: Date | null;
}

type State = Pick<Updates, "state" | "message">;

/** In which state updates are, and one sentence that a person can act on. Depends on nothing but the situation. */
export function stateOf(situation: Situation): State {
  const { blocked, phase, fetching, releases } = situation;
  if (blocked !== null) return { state: "blocked", message: blocked };
  if (phase === "downloading")
    return { state: "downloading", message: `Downloading ${fetching ?? "a release"}.` };
  if (phase === "checking") return { state: "checking", message: "Looking for updates." };
  const waiting = waitingForClock(situation);
  if (waiting !== null) return { state: "waiting_for_clock", message: waiting };
  const staged = releases.filter((release) => release.staged);
  if (staged.length > 0) return stagedState(situation, staged);
  const [first] = releases;
  if (first === undefined) return { state: "idle", message: quiet(situation) };
  const why = releases.find(({ hindrance }) => hindrance !== null)?.hindrance;
  const next = why ? `: ${why}` : "; the next check fetches it";
  return { state: "available", message: `${named(releases)} is available${next}.` };
}

/** What a release is called in sentences. */
export function nameOf({ kind, name, version }: Pick<Release, "kind" | "name" | "version">): string {
  return kind === "rules" ? `the rules ${name} ${version}` : `${name} ${version}`;
}

function waitingForClock({
  isClockVouchedFor,
  lastCheck,
  releases,
  waitingForClock,
}: Situation): string | null {
  if (isClockVouchedFor) return null;
  const advice =
    "Updates go on by themselves when the clock is synchronised or set: see the time status, or `steward time status`";
  const held = releases.filter(({ id, staged }) => !staged && waitingForClock.has(id));
  if (held.length > 0) {
    return `${named(held)} is available, and nobody vouches for this device's clock, so it is not fetched yet. ${advice}.`;
  }
  if (lastCheck?.outcome !== "waiting_for_clock") return null;
  return `The last check could not tell whether what the server gives out has expired, since nobody vouches for this device's clock. ${advice}.`;
}

function stagedState({ isWindowOpen, opensAt }: Situation, staged: readonly Release[]): State {
  const what = `${named(staged)} has been downloaded and verified`;
  if (isWindowOpen || staged.some(({ urgent }) => urgent)) {
    return { state: "staged", message: `${what}, and can be applied.` };
  }
  const when = opensAt === null ? "" : `, at ${opensAt.toISOString()}`;
  return {
    state: "waiting_for_window",
    message: `${what}. It is not applied unasked before the next of update.windows opens${when}.`,
  };
}

function quiet({ isEnabled, server, lastCheck }: Situation): string {
  if (server === "" && lastCheck === null)
    return "No update server is set: set update.ota.server to get updates.";
  if (lastCheck === null) {
    return isEnabled
      ? "No check has been made yet: the first one comes by itself."
      : "No check has been made yet, and update.ota.enabled is off: check by hand, or turn it on.";
  }
  const { outcome, detail, at } = lastCheck;
  const refused = detail === null ? "" : ` ${detail}`;
  if (outcome === "ok") return `The last check, at ${at}, found nothing newer for this device.${refused}`;
  return `The last check, at ${at}, failed: ${detail ?? "no reason is known"}`;
}

function named(releases: readonly Release[]): string {
  const names = releases.map(nameOf).join(" and ");
  return names.charAt(0).toUpperCase() + names.slice(1);
}
