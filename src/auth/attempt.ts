import { StewardError } from "../errors.ts";
import type { AttemptCounts } from "./attempt-counts.ts";
import { type Standing, waitSeconds } from "./attempt-rules.ts";
import { type AttemptWriter, failureDelaySeconds } from "./attempt-writer.ts";

/** One try, to be settled once; what comes after that does nothing, so `withdraw` may stand in a `finally`. */
export interface Attempt {
  fail(): void;
  /**
   * Signed in. Ends the row of this source at this account and, where the source was strange, that of the account.
   * A known source leaves the account's row alone, or each sign-in of the user would give strangers a hundred tries.
   * The source's own window keeps its other failures: or one valid account would buy guesses at all others.
   */
  succeed(): void;
  /** Nothing was checked (`hashing_busy`, an internal error), or the right password still waits for its code. */
  withdraw(): void;
}

/** What counting needs; `changed` tells that a delay may have begun or ended. */
export interface CountingContext {
  counts: AttemptCounts;
  now: () => number;
  writer: AttemptWriter;
  changed: () => void;
}

/** Seconds that the mark of a source which is known already may wait. */
const lastSeenDelaySeconds = 15 * 60;

/** Begins a try by the keys of its account, null for none, and source. Throws `too_many_attempts`. */
export function beginAttempt(context: CountingContext, account: string | null, source: string): Attempt {
  const { counts, now, changed } = context;
  const begunAt = now();
  const isKnown = account !== null && counts.known.isKnown(account, source, begunAt);
  const own = isKnown ? counts.ownKnown : counts.own;
  const pair = `${account} ${source}`;
  const standing = (): Standing => ({
    own: account === null ? undefined : own.get(pair, now()),
    account: account === null || isKnown ? undefined : counts.accounts.get(account, now()),
    window: counts.windows.get(source, now()),
  });
  const wait = waitSeconds(standing(), begunAt);
  if (wait > 0) throw tooMany(Math.ceil(wait));
  const undoWindow = counts.windows.count(source, begunAt);
  const undoOwn = account === null ? undefined : own.count(pair, begunAt);
  const undoAccount = account === null || isKnown ? undefined : counts.accounts.count(account, begunAt);
  changed();
  return settledOnce({
    fail: () => failed(context, waitSeconds(standing(), now()) > 0),
    succeed: () => {
      undoWindow();
      changed();
      if (account !== null) succeeded(context, account, source, isKnown);
    },
    withdraw: () => {
      for (const undo of [undoWindow, undoOwn, undoAccount]) undo?.();
      changed();
    },
  });
}

/** It was counted when it began; what is left is to make room and to write it down. */
function failed({ counts, now, writer }: CountingContext, isLock: boolean): void {
  // Not before: tries that are withdrawn cost their maker nothing, and must not push anybody out.
  for (const table of [counts.own, counts.ownKnown, counts.windows]) table.trim(now());
  if (isLock) writer.soon();
  else writer.within(failureDelaySeconds);
}

function succeeded(
  { counts, now, writer }: CountingContext,
  account: string,
  source: string,
  wasKnown: boolean,
) {
  const pair = `${account} ${source}`;
  for (const own of [counts.own, counts.ownKnown]) own.clear((keys) => keys === pair);
  if (!wasKnown) counts.accounts.clear((one) => one === account);
  counts.known.add(account, source, now());
  writer.within(wasKnown ? lastSeenDelaySeconds : failureDelaySeconds);
}

function settledOnce(attempt: Attempt): Attempt {
  let isSettled = false;
  const once = (settle: () => void) => () => {
    if (isSettled) return;
    isSettled = true;
    settle();
  };
  return { fail: once(attempt.fail), succeed: once(attempt.succeed), withdraw: once(attempt.withdraw) };
}

/** One message for every reason and every name, so that nobody learns which names exist or who has been guessing. */
function tooMany(seconds: number): StewardError {
  return new StewardError(
    "too_many_attempts",
    `Too many tries from here have failed. For ${inWords(seconds)} nothing is checked, not even the right password; then try again. On the device itself nobody has to wait.`,
    { details: { retryAfterSeconds: seconds } },
  );
}

/** A length of time as a person says it. */
export function inWords(seconds: number): string {
  if (seconds === 1) return "a second";
  if (seconds < 120) return `${seconds} seconds`;
  if (seconds <= 7_200) return `${Math.ceil(seconds / 60)} minutes`;
  return `${Math.ceil(seconds / 3_600)} hours`;
}
