import type { ClockConflict } from "../../contract/types.ts";
import type { ForeignHand } from "../discipline/steering.ts";
import { conflictSentence } from "../status/sentences.ts";

/** Another hand on the clock: we take ours away for a while, the longer the more often it happens; pure. */
export interface Contest {
  /** What it did; null: nothing else changes the clock. */
  readonly conflict: ClockConflict | null;
  /** Monotonic seconds until which we only watch. */
  readonly until: number;
  /** Seconds of the last such wait. */
  readonly waitSeconds: number;
}

export const uncontested: Contest = { conflict: null, until: Number.NEGATIVE_INFINITY, waitSeconds: 0 };

/** Seconds of the first wait, and the most that doubling makes of it: what sets a clock by itself does so hourly at least. */
const firstWaitSeconds = 120;
const lastWaitSeconds = 3_600;

/** Seconds of peace after which the next conflict is a first one again. */
const forgottenSeconds = 86_400;

export function contested(contest: Contest, hand: ForeignHand, monotonicSeconds: number): Contest {
  const isNew = monotonicSeconds - contest.until > forgottenSeconds;
  const waitSeconds = isNew ? firstWaitSeconds : Math.min(lastWaitSeconds, contest.waitSeconds * 2);
  return { conflict: conflictOf(hand), until: monotonicSeconds + waitSeconds, waitSeconds };
}

export function isContested(contest: Contest, monotonicSeconds: number): boolean {
  return monotonicSeconds < contest.until;
}

/** Somebody asked for a correction now: we take the clock in hand at once. */
export function settled(contest: Contest, monotonicSeconds: number): Contest {
  return { ...contest, conflict: null, until: Math.min(contest.until, monotonicSeconds) };
}

function conflictOf(hand: ForeignHand): ClockConflict {
  const facts =
    hand.kind === "frequency"
      ? ({ code: "frequency_set", daemon: null, step_seconds: null, frequency_ppm: hand.ppm } as const)
      : ({ code: "clock_stepped", daemon: null, step_seconds: hand.seconds, frequency_ppm: null } as const);
  return { ...facts, detail: conflictSentence(facts) };
}
