import type { Trial, Undo } from "../../releases/release-journal.ts";

/** What decides what becomes of a trial, besides what the journal says of it. */
export interface TrialFacts {
  readonly bootId: string;
  /** Seconds of monotonic time. */
  readonly uptime: number;
  /** What root has ordered. */
  readonly order: "confirm" | "abort" | null;
  /** Whoever works on it has only just begun to: nobody has watched since the last one ended. */
  readonly isTakenUp: boolean;
}

/** What is to be done next. */
export type TrialStep =
  /** Nothing was changed yet by what has ended: it never was. */
  | { readonly kind: "drop" }
  /** Another boot than the one it was last worked on in: counted before anything is started. */
  | { readonly kind: "count-boot" }
  /** Its time has passed while nobody looked, which says nothing of it. */
  | { readonly kind: "watch-anew" }
  | { readonly kind: "switch" | "activate" | "watch" | "commit" }
  | { readonly kind: "undo"; readonly undo: Pick<Undo, "outcome" | "reason"> }
  | { readonly kind: "switch-back" | "reactivate" | "watch-former" }
  | { readonly kind: "finish"; readonly isHealthy: boolean };

/** Boots in which a release may be tried: it has not failed then, but this is no time for it. */
export const mostBoots = 3;

/** Exits that are not clean, and none more. */
export const mostCrashes = 3;

/** The next step of a trial. Depends on nothing but what it is given. */
export function nextStep(trial: Trial, facts: TrialFacts): TrialStep {
  if (trial.phase === "installing") return { kind: "drop" };
  if (trial.undo !== null) return stepBack(trial, facts);
  if (facts.order === "abort") return undo("aborted", "Root has ordered to abort it.");
  if (facts.bootId !== trial.boot_id) return afterReboot(trial);
  if (trial.phase === "switching") return { kind: "switch" };
  if (trial.phase === "activating") return { kind: "activate" };
  if (facts.order === "confirm") return { kind: "commit" };
  return judged(trial, facts);
}

/** A step that takes long, or starts what was not started yet: what a boot need not wait for. */
export function isPatient({ kind }: TrialStep): boolean {
  return ["activate", "watch", "reactivate", "watch-former"].includes(kind);
}

function judged({ crashes, health, deadline_uptime }: Trial, { uptime, isTakenUp }: TrialFacts): TrialStep {
  if (crashes >= mostCrashes) {
    return undo("failed", `It ended uncleanly ${crashes} times. ${lastWords(health.last)}`);
  }
  if (health.successes >= health.needed) return { kind: "commit" };
  if (deadline_uptime !== null && uptime >= deadline_uptime) {
    if (isTakenUp) return { kind: "watch-anew" };
    return undo("failed", `It did not become healthy in time. ${lastWords(health.last)}`);
  }
  return { kind: "watch" };
}

function afterReboot({ boots }: Trial): TrialStep {
  if (boots < mostBoots) return { kind: "count-boot" };
  return undo("deferred", `It was not healthy yet when its boots ended, ${boots} times in a row.`);
}

/** The way back has no way forward: what was there before is put to work, and watched for as long as its time lasts. */
function stepBack(trial: Trial, { bootId, uptime }: TrialFacts): TrialStep {
  if (trial.phase !== "recovering" && trial.phase !== "reactivating") return { kind: "switch-back" };
  if (bootId !== trial.boot_id) return { kind: "count-boot" };
  if (trial.phase === "reactivating") return { kind: "reactivate" };
  const { successes, needed } = trial.health;
  if (successes >= needed) return { kind: "finish", isHealthy: true };
  const isOver = trial.deadline_uptime !== null && uptime >= trial.deadline_uptime;
  // It has nothing left to prove: on a slow device the answers may be too few by then, and all of them good.
  return isOver ? { kind: "finish", isHealthy: successes > 0 } : { kind: "watch-former" };
}

function undo(outcome: Undo["outcome"], reason: string): TrialStep {
  return { kind: "undo", undo: { outcome, reason: reason.trim() } };
}

function lastWords(last: string | null): string {
  return last === null ? "" : `The last look: ${last}.`;
}
