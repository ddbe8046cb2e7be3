import type { Updates } from "../../contract/types.ts";
import { kindOnTrial } from "../../releases/journal-queries.ts";
import type { UpdateKind } from "../../releases/release.ts";
import type { JournalEntry, ReleaseJournal, Trial, TrialPhase } from "../../releases/release-journal.ts";
import { nameOf, type State } from "./update-summary.ts";

export type TrialView = NonNullable<Updates["trial"]>;

/** When it is, by the two clocks. */
export interface Moment {
  readonly now: Date;
  /** Seconds of monotonic time in `bootId`. */
  readonly uptime: number;
  readonly bootId: string;
}

/** As people see it. */
const shownPhases: Readonly<Record<TrialPhase, TrialView["phase"]>> = {
  installing: "installing",
  switching: "installing",
  activating: "installing",
  confirming: "confirming",
  undoing: "rolling_back",
  reactivating: "rolling_back",
  recovering: "rolling_back",
};

/** What is on trial; null: nothing is. */
export function trialView(journal: ReleaseJournal, moment: Moment): TrialView | null {
  const kind = kindOnTrial(journal);
  const trial = kind && journal.slots[kind].trial;
  if (kind === null || trial === null) return null;
  const { release, begun_at, health, boots, crashes } = trial;
  const deadline_at = deadlineOf(trial, moment);
  return {
    kind,
    ...release,
    phase: shownPhases[trial.phase],
    begun_at,
    deadline_at,
    health: { ...health },
    boots,
    crashes,
    next: nextStep(trial, deadline_at),
  };
}

/** The state that follows from a trial. */
export function trialState(trial: TrialView): State {
  const { phase, health, next } = trial;
  const what = inFront(nameOf(trial));
  const said = health.last === null ? "" : ` The last answer: ${health.last.replace(/\.$/, "")}.`;
  switch (phase) {
    case "installing":
      return { state: phase, message: `${what}: being put in its place. ${next}` };
    case "confirming":
      return { state: phase, message: `${what}: at work and being watched. ${next}${said}` };
    case "rolling_back":
      return { state: phase, message: `${what}: being undone. ${next}${said}` };
  }
}

/** What the last attempt has left behind; null: nothing was ever tried, or the last try changed nothing. */
export function outcomeState({ history }: Pick<ReleaseJournal, "history">): State | null {
  const entry = history.at(-1);
  if (entry === undefined || entry.outcome === "refused") return null;
  const what = entryName(entry);
  if (entry.outcome === "good")
    return { state: "good", message: `${inFront(what)}: applied at ${entry.at}, and healthy.` };
  const after = entry.restored_healthy === false ? ` ${unwell}` : "";
  return {
    state: "rolled_back",
    message: `${inFront(what)}: undone at ${entry.at}: ${full(entry.detail)}${after} ${sequel(entry)} What it said last: \`steward update history\`.`,
  };
}

/** A sentence about a release that root's side did not take. */
export function refusalSentence(entry: JournalEntry): string {
  return `${inFront(entryName(entry))} was not taken at ${entry.at}: ${full(entry.detail)}`;
}

/** What a person should know of a release that was undone, and of the one before it. */
export const unwell =
  "The release before it is back and is not healthy either: look at the device, and at its log, now.";

function sequel({ outcome }: JournalEntry): string {
  switch (outcome) {
    case "failed":
      return "It is not taken again: a newer release has to be published, or root allows this one by `steward update apply --again`.";
    case "deferred":
      return "It is tried again by itself in a day, and before that by hand.";
    default:
      return "It is held, and not taken again by itself: apply it by hand to have it back.";
  }
}

function deadlineOf({ deadline_uptime, boot_id }: Trial, { now, uptime, bootId }: Moment): string | null {
  if (deadline_uptime === null || boot_id !== bootId) return null;
  return new Date(now.getTime() + (deadline_uptime - uptime) * 1_000).toISOString();
}

function nextStep({ phase, health, undo }: Trial, deadline: string | null): string {
  const why = undo === null ? "" : ` Why: ${full(undo.reason)}`;
  switch (phase) {
    case "installing":
      return "It is being unpacked and tried, and is put to work next; nothing has been changed yet.";
    case "switching":
    case "activating":
      return "Its service is told, and then its health is watched.";
    case "confirming": {
      const left = Math.max(0, health.needed - health.successes);
      const by = deadline === null ? "in time" : `by ${deadline}`;
      return `After ${left} more healthy ${left === 1 ? "answer" : "answers in a row"} it is kept; if they do not come ${by}, it is undone by itself.`;
    }
    case "undoing":
    case "reactivating":
      return `The release before it is put to work again, and its health is watched.${why}`;
    case "recovering":
      return `The release before it is at work again, and its health is watched.${why}`;
  }
}

function entryName({ kind, name, version }: JournalEntry): string {
  if (kind === null) return "a release";
  if (name !== null && version !== null) return nameOf({ kind, name, version });
  return unnamed(kind);
}

function unnamed(kind: UpdateKind): string {
  return kind === "rules" ? "a release of rules" : "a binary release";
}

function inFront(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function full(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
