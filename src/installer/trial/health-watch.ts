import { messageOf } from "../../contract/errors.ts";
import type { ApplyPlan, ReleaseAtWork, ReleaseHost } from "../../host/release-ports.ts";
import type { Trial } from "../../releases/release-journal.ts";
import { cut } from "./outcomes.ts";
import { mostCrashes } from "./trial-step.ts";

/** Characters of an answer that are kept. */
const mostWords = 300;

const mostLines = 20;

/** A unit in which nothing has changed since the last check. Restarted: started again, by systemd or by a person. */
const unchanged = { crashes: 0, isFailed: false, isRestarted: false };

export type HealthWatch = ReturnType<typeof createHealthWatch>;

export function createHealthWatch(host: ReleaseHost) {
  // null: the watch began in the middle of a trial, so the earlier count is not known.
  let counted: number | null = null;
  let invocation: string | null = null;
  let lines: string[] = [];
  const note = (at: string, words: string): void => {
    if (lines.at(-1)?.endsWith(words)) return;
    lines = [...lines, `${at} ${words}`].slice(-mostLines);
  };
  const unitSince = async (plan: ApplyPlan): Promise<typeof unchanged> => {
    if (plan.unit === null || host.units === null) return unchanged;
    const state = await host.units.state(plan.unit).catch((error: unknown) => {
      // If systemd does not answer now, it does later, or the deadline ends the trial.
      note(host.now().toISOString(), cut(messageOf(error), mostWords));
      return null;
    });
    if (state === null) return unchanged;
    const { uncleanExits, isFailed } = state;
    const before = counted ?? uncleanExits;
    const isRestarted = invocation !== null && invocation !== state.invocation;
    counted = uncleanExits;
    invocation = state.invocation;
    // Fewer than before: a person has restarted it, which is not a failure.
    return { crashes: uncleanExits >= before ? uncleanExits - before : uncleanExits, isFailed, isRestarted };
  };
  return {
    /** The release was activated just now: its unclean exits are counted from none. */
    begin: (): void => {
      counted = 0;
      invocation = null;
      lines = [];
    },
    /** Adds a line that no health check sees, such as an error of the activation. */
    note: (words: string): void => note(host.now().toISOString(), cut(words, mostWords)),
    /** The answers and notes since `begin`, one line for each change. */
    lines: (): readonly string[] => lines,
    /** Asks once, and returns what that changes in the trial. Restarts a unit that systemd has given up. */
    poll: async (trial: Trial, plan: ApplyPlan, release: ReleaseAtWork) => {
      const { crashes: more, isFailed, isRestarted } = await unitSince(plan);
      const { isHealthy, words } = await host.askHealth(plan, release);
      const crashes = trial.crashes + more;
      const at = host.now().toISOString();
      const last = cut(words, mostWords);
      note(at, last);
      if (isFailed && crashes < mostCrashes && plan.unit !== null && host.units !== null) {
        await host.units.restart(plan.unit).catch((error: unknown) => note(at, messageOf(error)));
        counted = 0;
      }
      // Healthy answers in a row must come from one start, although a restart by hand is not a failure.
      const successes = isHealthy && more === 0 && !isRestarted ? trial.health.successes + 1 : 0;
      return { crashes, health: { successes, needed: plan.health.successes, last, at } };
    },
  };
}
