import type { HostSettings } from "../contract/types.ts";

/** Days before the end of support from which on it is reported. */
const supportNoticeDays = 90;

const dayMilliseconds = 24 * 3_600 * 1_000;

/** The agent's time, as far as a judgement on dates needs it. */
export interface SupportClock {
  readonly isTrusted: () => boolean;
  readonly now: () => Date;
}

/** The state of the maker's support. `until`: its last day (YYYY-MM-DD), in UTC; null: none is known. */
export function supportOf(until: string | null, { isTrusted, now }: SupportClock): HostSettings["support"] {
  // A clock that is wrong would report an end that is years away, or hide one that has passed.
  if (until === null || !isTrusted()) return "unknown";
  const left = Date.parse(`${until}T00:00:00Z`) + dayMilliseconds - now().getTime();
  if (left <= 0) return "ended";
  return left <= supportNoticeDays * dayMilliseconds ? "ending" : "supported";
}
