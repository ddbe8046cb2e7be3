import type { ForeignHand } from "../discipline/steering.ts";

/** Another hand on the clock: we take ours away for a while, the longer the more often it happens; pure. */
export interface Contest {
  /** What it did, in words; null: nobody contests the clock. */
  readonly conflict: string | null;
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
  return { conflict: inWords(hand), until: monotonicSeconds + waitSeconds, waitSeconds };
}

export function isContested(contest: Contest, monotonicSeconds: number): boolean {
  return monotonicSeconds < contest.until;
}

/** Somebody asked for a correction now: we take the clock in hand at once. */
export function settled(contest: Contest, monotonicSeconds: number): Contest {
  return { ...contest, conflict: null, until: Math.min(contest.until, monotonicSeconds) };
}

function inWords(hand: ForeignHand): string {
  if (hand.kind === "frequency")
    return `another program set the clock's frequency to ${hand.ppm.toFixed(3)} ppm`;
  const way = hand.seconds > 0 ? "forward" : "back";
  return `another program or person set the clock ${way} by ${Math.abs(hand.seconds).toFixed(3)} s`;
}
