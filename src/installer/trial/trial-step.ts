import type { BootTime } from "../../releases/agent-rollback.ts";
import { type OutcomeCause, outcomeCause } from "../../releases/outcome-reasons.ts";
import type { Trial, Undo } from "../../releases/release-journal.ts";

/** Facts besides the journal that the next step depends on. */
export interface TrialFacts extends BootTime {
  readonly order: "confirm" | "abort" | null;
  /** A package of this device is as new as the release, so the release does not run (docs/design/updates.md, rule 14). */
  readonly isOvertaken: boolean;
  /** The process that works on it has just started, and the release was not watched since the last process ended. */
  readonly isResumed: boolean;
}

export type TrialStep =
  /** The process ended before anything was changed: the trial is removed. */
  | { readonly kind: "drop" }
  /** The device was rebooted: the boot is counted before anything is started. */
  | { readonly kind: "count-boot" }
  /** The deadline passed while the release was not watched, which says nothing about its health. */
  | { readonly kind: "watch-anew" }
  | { readonly kind: "switch" | "activate" | "watch" | "commit" }
  | { readonly kind: "undo"; readonly outcome: Undo["outcome"]; readonly cause: OutcomeCause }
  | { readonly kind: "switch-back" | "reactivate" | "watch-former" }
  | { readonly kind: "finish"; readonly isHealthy: boolean };

/** Boots in which a release may be tried. After the last one it is deferred: reboots say nothing about its health. */
export const mostBoots = 3;

/** Unclean exits that make a release fail. */
export const mostCrashes = 3;

/** The next step of a trial. Depends on nothing but what it is given. */
export function nextStep(trial: Trial, facts: TrialFacts): TrialStep {
  if (trial.phase === "installing") return { kind: "drop" };
  if (trial.undo !== null) return stepBack(trial, facts);
  if (facts.order === "abort") return undo("aborted", outcomeCause("aborted_by_root"));
  if (facts.isOvertaken) return undo("aborted", outcomeCause("overtaken"));
  if (facts.bootId !== trial.boot_id) return afterReboot(trial);
  if (trial.phase === "switching") return { kind: "switch" };
  if (trial.phase === "activating") return { kind: "activate" };
  if (facts.order === "confirm") return { kind: "commit" };
  return stepOfWatch(trial, facts);
}

/** True if a step takes long or starts a service, so that the boot does not wait for it. */
export function takesLong({ kind }: TrialStep): boolean {
  return ["activate", "watch", "reactivate", "watch-former"].includes(kind);
}

function stepOfWatch(
  { crashes, health, deadline_uptime }: Trial,
  { uptime, isResumed }: TrialFacts,
): TrialStep {
  if (crashes >= mostCrashes) {
    return undo("failed", outcomeCause("unclean_exits", { count: crashes, last_answer: health.last }));
  }
  if (health.successes >= health.needed) return { kind: "commit" };
  if (deadline_uptime !== null && uptime >= deadline_uptime) {
    if (isResumed) return { kind: "watch-anew" };
    return undo("failed", outcomeCause("not_healthy_in_time", { last_answer: health.last }));
  }
  return { kind: "watch" };
}

function afterReboot({ boots }: Trial): TrialStep {
  if (boots < mostBoots) return { kind: "count-boot" };
  return undo("deferred", outcomeCause("restarts", { count: boots }));
}

/** An undo is never reversed: the release before is activated again, and watched until it is healthy or its time is over. */
function stepBack(trial: Trial, { bootId, uptime }: TrialFacts): TrialStep {
  if (trial.phase !== "recovering" && trial.phase !== "reactivating") return { kind: "switch-back" };
  if (bootId !== trial.boot_id) return { kind: "count-boot" };
  if (trial.phase === "reactivating") return { kind: "reactivate" };
  const { successes, needed } = trial.health;
  if (successes >= needed) return { kind: "finish", isHealthy: true };
  const isOver = trial.deadline_uptime !== null && uptime >= trial.deadline_uptime;
  // It was healthy before: on a slow device there may be few answers by then, and one good one is enough.
  return isOver ? { kind: "finish", isHealthy: successes > 0 } : { kind: "watch-former" };
}

function undo(outcome: Undo["outcome"], cause: OutcomeCause): TrialStep {
  return { kind: "undo", outcome, cause };
}
