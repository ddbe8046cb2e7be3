import type { FailedRelease, Settings, TrialNextStep, Updates } from "../../contract/types.ts";
import { updateKinds } from "../../contract/update-kinds.ts";
import type { BootTime } from "../../releases/agent-rollback.ts";
import { kindOnTrial, newestEntry } from "../../releases/journal-queries.ts";
import { lastAnswerSentence, reasonOf } from "../../releases/outcome-reasons.ts";
import type { JournalEntry, ReleaseJournal, Trial, TrialPhase } from "../../releases/release-journal.ts";
import { untilTried } from "../facts/hold-reason.ts";
import { undoneSentences } from "../facts/update-sentences.ts";
import { type State, stateWith } from "./update-summary.ts";

export type TrialView = NonNullable<Updates["trial"]>;

/** The present, by the wall clock and by monotonic time. */
export interface Moment extends BootTime {
  readonly now: Date;
}

/** Trial phases as the API has them, and the step that comes next in each. */
const phases: Readonly<Record<TrialPhase, readonly [TrialView["phase"], TrialNextStep["code"]]>> = {
  installing: ["installing", "activate"],
  switching: ["installing", "watch"],
  activating: ["installing", "watch"],
  confirming: ["confirming", "collect_answers"],
  undoing: ["rolling_back", "restore"],
  reactivating: ["rolling_back", "restore"],
  recovering: ["rolling_back", "watch_former"],
};

/** The release on trial; null: nothing is. */
export function trialView(journal: ReleaseJournal, moment: Moment): TrialView | null {
  const kind = kindOnTrial(journal);
  const trial = kind && journal.slots[kind].trial;
  if (kind === null || trial === null) return null;
  const { begun_at, health, boots, crashes } = trial;
  // When it proved healthy is in the journal too, of one that is gone back from.
  const { id, name, version } = trial.release;
  const deadline_at = deadlineOf(trial, moment);
  return {
    kind,
    id,
    name,
    version,
    phase: phases[trial.phase][0],
    begun_at,
    deadline_at,
    health: { successes: health.successes, needed: health.needed, last: lastAnswer(trial) },
    boots,
    crashes,
    next: nextStep(trial, deadline_at),
  };
}

export function trialState(trial: TrialView): State {
  const { phase, health, next, kind, name, version } = trial;
  const answer = phase === "installing" ? undefined : health.last?.detail;
  const facts = { releases: [{ kind, name, version }], reason: next.reason };
  return stateWith(phase, phase, facts, [
    next.detail,
    ...(answer === undefined ? [] : [lastAnswerSentence(answer)]),
  ]);
}

/** The failures here decide which outcome is grave, the settings if one is tried again. */
interface OutcomeFacts {
  readonly failed: readonly FailedRelease[];
  readonly ota: Settings["update"]["ota"];
}

/** The state that the last attempt left, a kind that needs a person first; null: none, or nothing was changed. */
export function outcomeState(
  journal: Pick<ReleaseJournal, "history"> & Partial<ReleaseJournal>,
  { failed, ota }: OutcomeFacts,
): State | null {
  const isOpen = ({ outcome, release_id }: JournalEntry): boolean =>
    outcome === "failed" && failed.some(({ id, state }) => id === release_id && state === "open");
  const newest = updateKinds.flatMap((kind) => newestEntry(journal, kind) ?? []);
  const broken = newest.filter(({ restored_healthy }) => restored_healthy === false);
  const last = journal.history.slice(-1).filter(({ outcome }) => outcome !== "refused");
  const entries = new Set([...broken, ...newest.filter(isOpen), ...last]);
  const [gravest, ...others] = [...entries].map((entry) => stateAfter(entry, journal, ota));
  if (gravest === undefined) return null;
  const detail = [gravest, ...others].map(({ summary }) => summary.detail).join(" ");
  return { ...gravest, summary: { ...gravest.summary, detail } };
}

function stateAfter(
  entry: JournalEntry,
  { slots }: Partial<ReleaseJournal>,
  ota: OutcomeFacts["ota"],
): State {
  const { kind, name, version, at, outcome } = entry;
  const facts = { releases: [{ kind, name, version }], at, reason: reasonOf(entry.detail, entry.cause) };
  if (outcome === "good") return stateWith("good", "applied", facts);
  const aside = kind && slots?.[kind].setAside.find(({ id }) => id === entry.release_id);
  const until = kind && aside?.until && untilTried(new Date(aside.until), kind, ota)?.toISOString();
  const { state, summary } = stateWith("rolled_back", "undone", facts);
  return { state, summary: { ...summary, detail: undoneSentences({ ...facts, until }, entry).join(" ") } };
}

function deadlineOf({ deadline_uptime, boot_id }: Trial, { now, uptime, bootId }: Moment): string | null {
  if (deadline_uptime === null || boot_id !== bootId) return null;
  return new Date(now.getTime() + (deadline_uptime - uptime) * 1_000).toISOString();
}

/** Healthy answers are counted in a row: after one that is not healthy the count is 0. */
function lastAnswer({ health: { successes, last, at } }: Trial): TrialView["health"]["last"] {
  if (last === null || at === null) return null;
  return { code: successes > 0 ? "healthy" : "not_healthy", detail: last, at };
}

function nextStep({ phase, health, undo }: Trial, deadline: string | null): TrialNextStep {
  const [, code] = phases[phase];
  const isCollecting = code === "collect_answers";
  const step = {
    code,
    answers_left: isCollecting ? Math.max(0, health.needed - health.successes) : null,
    until: isCollecting ? deadline : null,
    reason: undo === null ? null : reasonOf(undo.reason, undo.cause),
  };
  return { ...step, detail: trialStepSentence(step) };
}

/** \`reason\`: of \`restore\` and \`watch_former\`, why it is undone. */
function trialStepSentence({ code, answers_left, until, reason }: Omit<TrialNextStep, "detail">): string {
  const why = reason === null ? "" : ` Reason: ${reason.detail}`;
  switch (code) {
    case "activate":
      return "It is being unpacked and tested. Nothing has been changed yet.";
    case "watch":
      return "It is activated next, and its health is watched.";
    case "collect_answers": {
      const answers =
        answers_left === 1 ? "1 more healthy answer" : `${answers_left} more healthy answers in a row`;
      return `After ${answers} it is kept. Without them${until === null ? "" : ` by ${until}`} it is undone.`;
    }
    case "restore":
      return `The previous release is activated next, and its health is watched.${why}`;
    case "watch_former":
      return `The previous release is running again, and its health is watched.${why}`;
  }
}
