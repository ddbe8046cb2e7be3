import { type PollState, waitSeconds } from "../ntp/poll-control.ts";
import type { Way } from "./mode.ts";

/** Exchanges of a round after a silence, and when somebody asks. */
export const burst = 4;

/**
 * At the start the burst is two rounds, so that the clock is right after the first one and exact after the second. Not
 * after one exchange: a program that has just been started is slow to see its first answer. `delaySeconds`: up to so many
 * of chance before it, so that devices which got their power back together do not ask together.
 */
export const firstBurst = { delaySeconds: 2, first: 2, rest: 2, pauseSeconds: 2 } as const;

/** Seconds between two questions to a daemon: asking costs a process. */
const delegatePollSeconds = 64;

/** What decides when the next round is. */
export interface RoundFacts {
  /** null: not known yet. */
  readonly way: Way | null;
  readonly poll: PollState;
  /** 0 to 1. */
  readonly random: number;
  /** The round that is over was the first half of the start's burst. */
  readonly isFirst: boolean;
  /** Somebody asked for another one while it ran. */
  readonly isNudged: boolean;
}

/** In how many seconds the next round is, and of how many exchanges; null: there is none. */
export function nextRound({ way, poll, random, isFirst, isNudged }: RoundFacts): {
  readonly seconds: number;
  readonly exchanges: number;
} | null {
  if (isNudged) return { seconds: 0, exchanges: burst };
  if (way?.kind === "manual") return null;
  if (way?.kind === "delegate") return { seconds: delegatePollSeconds, exchanges: 1 };
  if (isFirst) return { seconds: firstBurst.pauseSeconds, exchanges: firstBurst.rest };
  const seconds = waitSeconds(poll, random) ?? pollSecondsOf(way, poll);
  return { seconds, exchanges: poll.failures > 0 ? burst : 1 };
}

/** Seconds between two rounds that are answered. */
export function pollSecondsOf(way: Way | null, poll: PollState): number {
  return way?.kind === "delegate" ? delegatePollSeconds : 2 ** poll.exponent;
}
