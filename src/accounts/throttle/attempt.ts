import { StewardError } from "../../contract/errors.ts";
import type { SlidingWindows, Undo } from "./counters.ts";
import { ownEnd, siteEnd } from "./throttle-rules.ts";
import type { ThrottleState } from "./throttle-state.ts";
import { failureDelaySeconds, type ThrottleWriter } from "./throttle-writer.ts";

/** One attempt. It is settled once and ignores later calls, so `withdraw` may be called in a `finally`. */
export interface Attempt {
  fail(): void;
  /**
   * The user has signed in. Ends the row of this client at this account and, if the client was strange, that of the
   * account. A known client leaves the account's row as it is, or each sign-in of the user would give strangers a
   * hundred tries. The client's own window keeps its other failures, or one valid account would buy guesses at all
   * others.
   */
  succeed(): void;
  /** Nothing was checked (`hashing_busy`, an internal error), or the right password still waits for its code. */
  withdraw(): void;
  /** Undefined: the answer may say what was wrong. */
  readonly seal?: Seal;
}

/**
 * Hides the result of an attempt while the client's window is full. The answer is then the same, at the same moment,
 * whether or not the account exists and whether or not the secret was checked; only the right secret gets through.
 */
export interface Seal {
  /** `too_many_attempts`. */
  readonly refusal: StewardError;
  /**
   * True if the secret is to be checked: the account exists, and the failures behind seals so far leave room for it.
   */
  readonly isLookedAt: boolean;
}

/** The account whose secret is tried, by keys. */
export interface Target {
  /** Null: no account is meant (the setup token). */
  readonly account: string | null;
  /** True if the account exists. No answer may show it. */
  readonly exists: boolean;
  /** The living session that repeats its password. It has a row of its own, which strangers cannot reach. */
  readonly session: string | null;
  /** The password was right, and the code is to come: the window of the client does not apply. */
  readonly isProven: boolean;
}

/** The client of an attempt, by keys; `site` is the /48 of an IPv6 client. */
export interface ClientKeys {
  readonly client: string;
  readonly site: string | null;
}

/** Everything that counting needs. `changed` reports that a delay may have begun or ended. */
export interface CountingContext {
  counts: ThrottleState;
  now: () => number;
  writer: ThrottleWriter;
  changed: () => void;
}

/** Seconds that the new mark of a known client may wait to be written. */
const lastSeenDelaySeconds = 15 * 60;

/** Begins an attempt. Throws `too_many_attempts` if the row of this account for this client has a delay. */
export function beginAttempt(context: CountingContext, target: Target, from: ClientKeys): Attempt {
  const { counts, now, changed } = context;
  const begunAt = now();
  const row = rowOf(counts, target, from, begunAt);
  const windows = target.session !== null || target.isProven ? [] : windowsOf(counts, from);
  const windowWait = endOf(windows, begunAt) - begunAt;
  const ownWait = row.end(begunAt) - begunAt;
  if (ownWait > 0) throw tooMany(Math.ceil(Math.max(ownWait, windowWait)));
  if (windowWait > 0) return sealedAttempt(context, target, from, tooMany(Math.ceil(windowWait)));
  const isStranger = target.exists && !row.isKnown && windows.length > 0;
  const undoWindows = countIn([...windows, ...(isStranger ? accountWindowsOf(counts, from) : [])], begunAt);
  const undoRow = row.count(begunAt);
  changed();
  return settledOnce({
    fail: () => failed(context, Math.max(row.end(now()), endOf(windows, now())) > now()),
    succeed: () => {
      takeBack(undoWindows);
      changed();
      succeeded(context, target, from);
    },
    withdraw: () => {
      takeBack([...undoWindows, ...undoRow]);
      changed();
    },
  });
}

/**
 * An attempt behind a full window. Its count is visible nowhere else: an attacker who tries names from a full client
 * must not see later, by a delay, which of them were checked. So a client has at most twice as many guesses, in its
 * window and behind it. Known limit: a second client can see the hashing queue at work, and hashing is done only for
 * accounts that exist.
 */
function sealedAttempt(
  context: CountingContext,
  target: Target,
  from: ClientKeys,
  refusal: StewardError,
): Attempt {
  const { counts, now } = context;
  const { sealed } = counts.passing;
  const begunAt = now();
  const pair = `${target.account} ${from.client}`;
  const windows = isKnown(counts, target, from, begunAt) ? [] : accountWindowsOf(counts, from);
  const end = Math.max(ownEnd(sealed.get(pair, begunAt), undefined), endOf(windows, begunAt));
  const isLookedAt = target.exists && end <= begunAt;
  const undos = isLookedAt ? [sealed.count(pair, begunAt), ...countIn(windows, begunAt)] : [];
  const attempt = settledOnce({
    fail: () => trim(counts, now()),
    succeed: () => {
      takeBack(undos);
      succeeded(context, target, from);
    },
    withdraw: () => takeBack(undos),
  });
  return { ...attempt, seal: { refusal, isLookedAt } };
}

interface Row {
  readonly isKnown: boolean;
  /** The end of its delay, past or future. */
  end(at: number): number;
  count(at: number): Undo[];
}

function rowOf(counts: ThrottleState, target: Target, from: ClientKeys, begunAt: number): Row {
  const { account, session } = target;
  if (account === null) return { isKnown: false, end: () => 0, count: () => [] };
  const { own, ownKnown, accounts, passing } = counts;
  const { client, site } = from;
  const known = isKnown(counts, target, from, begunAt);
  if (known || session !== null) {
    const pair = `${account} ${session ?? client}`;
    return {
      isKnown: known,
      end: (at) => ownEnd(ownKnown.get(pair, at), undefined),
      count: (at) => [ownKnown.count(pair, at)],
    };
  }
  const pair = `${account} ${client}`;
  const sitePair = `${account} ${site}`;
  const siteEndAt = (at: number) => (site === null ? 0 : siteEnd(passing.ownSites.get(sitePair, at)));
  return {
    isKnown: false,
    end: (at) => Math.max(ownEnd(own.get(pair, at), accounts.get(account, at)), siteEndAt(at)),
    count: (at) => [
      own.count(pair, at),
      accounts.count(account, at),
      ...(site === null ? [] : [passing.ownSites.count(sitePair, at)]),
    ],
  };
}

function isKnown({ known }: ThrottleState, { account }: Target, { client }: ClientKeys, at: number) {
  return account !== null && known.isKnown(account, client, at);
}

type Counter = readonly [windows: SlidingWindows, key: string];

function windowsOf({ windows, passing }: ThrottleState, { client, site }: ClientKeys): Counter[] {
  return [[windows, client], ...(site === null ? [] : [[passing.sites, site] as const])];
}

/** The windows of their failures at existing accounts. */
function accountWindowsOf({ passing }: ThrottleState, { client, site }: ClientKeys): Counter[] {
  const { atAccounts, atAccountsOfSites } = passing;
  return [[atAccounts, client], ...(site === null ? [] : [[atAccountsOfSites, site] as const])];
}

function endOf(counters: readonly Counter[], at: number): number {
  return Math.max(0, ...counters.map(([windows, key]) => windows.end(key, at)));
}

function countIn(counters: readonly Counter[], at: number): Undo[] {
  return counters.map(([windows, key]) => windows.count(key, at));
}

function takeBack(undos: readonly Undo[]): void {
  for (const undo of undos) undo();
}

/** The attempt was counted at its beginning; this trims the tables and has them written. */
function failed({ counts, now, writer }: CountingContext, isLock: boolean): void {
  trim(counts, now());
  if (isLock) writer.soon();
  else writer.within(failureDelaySeconds);
}

/** Runs only after an attempt has failed: withdrawn attempts cost nothing, and must not push others out. */
function trim({ own, ownKnown, windows, passing }: ThrottleState, now: number): void {
  for (const table of [own, ownKnown, windows, ...Object.values(passing)]) table.trim(now);
}

function succeeded({ counts, now, writer }: CountingContext, target: Target, from: ClientKeys): void {
  const { account, session } = target;
  if (account === null) return;
  const wasKnown = isKnown(counts, target, from, now());
  const { ownSites, sealed } = counts.passing;
  const ended = [from.client, from.site, session].map((key) => `${account} ${key}`);
  for (const own of [counts.own, counts.ownKnown, ownSites, sealed])
    own.clear((keys) => ended.includes(keys));
  if (!wasKnown) counts.accounts.clear((one) => one === account);
  counts.known.add(account, from.client, now());
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

/** One message for every reason and every name: it reveals neither which names exist nor who has been guessing. */
function tooMany(seconds: number): StewardError {
  return new StewardError(
    "too_many_attempts",
    `Too many sign-ins from this address have failed. Wait ${inWords(seconds)} before the next one: until then even the right password may be refused. The command line on the device itself never has to wait.`,
    { details: { retryAfterSeconds: seconds } },
  );
}

export function inWords(seconds: number): string {
  if (seconds === 1) return "a second";
  if (seconds < 120) return `${seconds} seconds`;
  if (seconds <= 7_200) return `${Math.ceil(seconds / 60)} minutes`;
  return `${Math.ceil(seconds / 3_600)} hours`;
}
