import type { ApplyPlan, ReleaseAtWork, ReleaseHost } from "../../host/release-ports.ts";
import type { Trial } from "../../releases/release-journal.ts";
import { cut } from "./outcomes.ts";
import { mostCrashes } from "./trial-step.ts";

/** Looks at a release that has been put to work. */
export interface Watch {
  /** It has just been put to work: what systemd counts against its unit begins at none. */
  begun(): void;
  /** What one look has changed of a trial. Brings a unit that systemd has given up back to its feet. */
  look(trial: Trial, plan: ApplyPlan, release: ReleaseAtWork): Promise<Pick<Trial, "health" | "crashes">>;
  /** What was said of it besides what the looks see. */
  heard(words: string): void;
  /** What the looks have seen and was heard since `begun`, a line each time it was something else. */
  said(): readonly string[];
}

/** Characters of an answer that are kept. */
const mostWords = 300;

/** Lines that are kept of what was seen. */
const mostLines = 20;

/** What became of the unit since the look before. */
interface UnitSince {
  /** Exits that were not clean. */
  readonly crashes: number;
  readonly isFailed: boolean;
  /** It was started anew, whoever did it. */
  readonly isAnother: boolean;
}

export function createWatch(host: ReleaseHost): Watch {
  // null: taken up in the middle, so that what has been counted before is not known.
  let seen: number | null = null;
  let invocation: string | null = null;
  let lines: string[] = [];
  const note = (at: string, words: string): void => {
    if (lines.at(-1)?.endsWith(words)) return;
    lines = [...lines, `${at} ${words}`].slice(-mostLines);
  };
  const unitSince = async (plan: ApplyPlan): Promise<UnitSince> => {
    if (plan.unit === null || host.units === null) return { crashes: 0, isFailed: false, isAnother: false };
    const state = await host.units.state(plan.unit).catch((error: unknown) => {
      // A systemd that does not answer now does later, or the deadline ends the waiting.
      note(host.now().toISOString(), cut(messageOf(error), mostWords));
      return null;
    });
    if (state === null) return { crashes: 0, isFailed: false, isAnother: false };
    const { uncleanExits, isFailed } = state;
    const before = seen ?? uncleanExits;
    const isAnother = invocation !== null && invocation !== state.invocation;
    seen = uncleanExits;
    invocation = state.invocation;
    // Fewer than before: somebody has restarted it, which is no failure.
    return { crashes: uncleanExits >= before ? uncleanExits - before : uncleanExits, isFailed, isAnother };
  };
  return {
    begun: () => {
      seen = 0;
      invocation = null;
      lines = [];
    },
    heard: (words) => note(host.now().toISOString(), cut(words, mostWords)),
    said: () => lines,
    look: async (trial, plan, release) => {
      const { crashes: more, isFailed, isAnother } = await unitSince(plan);
      const { isHealthy, words } = await host.askHealth(plan, release);
      const crashes = trial.crashes + more;
      const at = host.now().toISOString();
      const last = cut(words, mostWords);
      note(at, last);
      if (isFailed && crashes < mostCrashes && plan.unit !== null && host.units !== null) {
        await host.units.restart(plan.unit).catch((error: unknown) => note(at, messageOf(error)));
        seen = 0;
      }
      // Answers in a row are those of one start: also where a restart by hand is no failure.
      const successes = isHealthy && more === 0 && !isAnother ? trial.health.successes + 1 : 0;
      return { crashes, health: { successes, needed: plan.health.successes, last, at } };
    },
  };
}

/** What an error says, to be shown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
