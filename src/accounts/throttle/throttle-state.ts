import { createFailureCounters, createSlidingWindows } from "./counters.ts";
import { createKnownClients } from "./known-clients.ts";
import {
  readCounters,
  readKnown,
  readWindows,
  type ThrottleRecord,
  writeCounters,
  writeKnown,
  writeWindows,
} from "./throttle-record.ts";
import { codeDelaySeconds, codeWindow, ownEnd, siteWindow } from "./throttle-rules.ts";

/** Every count of attempts, without names and addresses, in a file below 256 KiB. Each table says what filling it gains. */
export type ThrottleState = ReturnType<typeof readCounts>;

/**
 * A day without a try gives five or a hundred tries back: fewer than the delays would have allowed in that day. For
 * codes a day would give more than their six a day; a week does not.
 */
const quietSeconds = 24 * 60 * 60;
const quietCodesSeconds = 7 * quietSeconds;

export function readCounts(stored: ThrottleRecord, now: number) {
  const accounts = createFailureCounters(readCounters(stored.accounts, now), {
    limit: 1_024,
    quietSeconds,
    inherits: true,
  });
  return {
    /** By `account`, for strange clients: a new row takes over the shortest, so a flood of names never shortens any. */
    accounts,
    /**
     * By `account client`, for strange clients. A full table drops first the rows of the account with the shortest row:
     * an attacker who wants to drop the rows of one account must fail at twenty others more often than at this one.
     */
    own: createFailureCounters(readCounters(stored.own, now), {
      limit: 1_024,
      quietSeconds,
      rank: (keys, _, time) => accounts.get(accountOf(keys), time)?.failures ?? 0,
    }),
    /** The same for known clients: strangers never get in here. */
    ownKnown: createFailureCounters(readCounters(stored.own_known, now), { limit: 512, quietSeconds }),
    /** By `account`: wrong codes, which need the right password first. */
    codes: createFailureCounters(readCounters(stored.codes, now), {
      limit: 256,
      quietSeconds: quietCodesSeconds,
      rank: (_, { failures }) => codeDelaySeconds(failures),
    }),
    /** By `client`. 512 other addresses push one out; no limit for each address stops an attacker with that many. */
    windows: createSlidingWindows(readWindows(stored.windows, now), 512),
    known: createKnownClients(readKnown(stored.known, now)),
    /** Counts that are only in memory: a restart of the agent forgets them. */
    passing: passingCounts(),
  };
}

/** Counts that are not worth a write: an attacker cannot restart the agent. */
function passingCounts() {
  return {
    /** By `site`: like `windows`, for the /48 of an IPv6 client. */
    sites: createSlidingWindows([], 32, siteWindow),
    /** By `account site`: like `own`. */
    ownSites: createFailureCounters([], { limit: 256, quietSeconds }),
    /**
     * By `client` and `site`: the failures at existing accounts. They limit the secrets that are checked behind a seal.
     */
    atAccounts: createSlidingWindows([], 512),
    atAccountsOfSites: createSlidingWindows([], 32, siteWindow),
    /** By `account client`: failures behind a seal, shown nowhere else. Only existing accounts, so few rows. */
    sealed: createFailureCounters([], { limit: 512, quietSeconds }),
    /** By `account`: codes that were wrong, which needs the right password. */
    judgedCodes: createSlidingWindows([], 256, codeWindow),
  };
}

function accountOf(keys: string): string {
  return keys.slice(0, keys.indexOf(" "));
}

export type StoredCounts = Omit<ThrottleRecord, "key_secret" | "moment">;

/** Leaves out counts that no longer mean anything. */
export function writeCounts(counts: ThrottleState, now: number): StoredCounts {
  return {
    own: writeCounters(counts.own.entries(now)),
    own_known: writeCounters(counts.ownKnown.entries(now)),
    accounts: writeCounters(counts.accounts.entries(now)),
    codes: writeCounters(counts.codes.entries(now)),
    windows: writeWindows(counts.windows.entries(now)),
    known: writeKnown(counts.known.entries(now)),
  };
}

/** Ends every row and delay of an account. */
export function clearAccount(counts: ThrottleState, account: string): void {
  const { ownSites, sealed } = counts.passing;
  for (const own of [counts.own, counts.ownKnown, ownSites, sealed]) {
    own.clear((keys) => keys.startsWith(`${account} `));
  }
  counts.accounts.clear((one) => one === account);
  clearCodes(counts, account);
}

/** Ends the lock of an account's codes, and forgets the wrong ones. */
export function clearCodes({ codes, passing }: ThrottleState, account: string): void {
  codes.clear((one) => one === account);
  passing.judgedCodes.clear(account);
}

/** The ends of the delays that run now, by account. */
export type RunningDelays = ReturnType<typeof runningDelays>;

export function runningDelays(counts: ThrottleState, now: number) {
  const password = new Map<string, number>();
  const add = (keys: string, end: number): void => {
    const account = accountOf(keys);
    if (end > now) password.set(account, Math.max(end, password.get(account) ?? 0));
  };
  for (const [keys, counter] of counts.own.entries(now)) {
    add(keys, ownEnd(counter, counts.accounts.get(accountOf(keys), now)));
  }
  for (const [keys, counter] of counts.ownKnown.entries(now)) add(keys, ownEnd(counter, undefined));
  const judged = counts.passing.judgedCodes.entries(now);
  const codes = [...counts.codes.entries(now), ...judged]
    .map(([account]) => [account, codesEnd(counts, account, now)] as const)
    .filter(([, end]) => end > now);
  const lastEnd = Math.max(0, ...password.values(), ...codes.map(([, end]) => end));
  return {
    /** The latest end of all its clients. */
    password,
    codes: new Map(codes),
    /** The latest end of all accounts; 0 if there are none. */
    lastEnd,
  };
}

/** The end of the time in which codes of an account are refused: too many wrong ones in a row, or within an hour. */
export function codesEnd({ codes, passing }: ThrottleState, account: string, now: number): number {
  const wrong = codes.get(account, now);
  const lockEnd = wrong ? wrong.at + codeDelaySeconds(wrong.failures) : 0;
  return Math.max(lockEnd, passing.judgedCodes.end(account, now));
}
