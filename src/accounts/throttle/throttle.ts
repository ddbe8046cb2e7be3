import { createHmac, createSecretKey } from "node:crypto";
import type { Timers, Uptime } from "../../host/ports.ts";
import type { Document } from "../../store/documents/document.ts";
import { type Attempt, beginAttempt } from "./attempt.ts";
import { siteOf } from "./client-key.ts";
import { createCodeLocks } from "./code-locks.ts";
import { createDeviceUptime } from "./device-uptime.ts";
import type { ThrottleRecord } from "./throttle-record.ts";
import {
  clearAccount,
  type RunningDelays,
  readCounts,
  runningDelays,
  type StoredCounts,
  type ThrottleState,
  writeCounts,
} from "./throttle-state.ts";
import { createThrottleWriter, failureDelaySeconds } from "./throttle-writer.ts";

/**
 * Throttles every attempt at a password, a code or the setup token (docs/design/throttling.md), only by monotonic time.
 *
 * Limits: a client has about a hundred attempts a day at one account and 2,880 at all, and as many again behind a full
 * window; a site (/48) has ten times as many. After strangers have failed at an account a hundred times in a row, each
 * of their addresses has at most one a minute.
 *
 * It never refuses for longer than 15 minutes. A stranger's failures never count against a client from which the
 * account's user has signed in. Failures at other names, especially invented ones, never keep the right password out:
 * behind a full window the answers are sealed (see `Seal`). A session that repeats its password has a row of its own.
 * An attacker who shares a client with the user (one NAT, one /64) and knows the name can still delay a sign-in, by up
 * to those 15 minutes.
 *
 * Known limit: an attacker with any number of fresh addresses has a first try from each; then only the hashing queue
 * and the length of passwords protect. A limit for all strangers together would lock the user out at a new address.
 */
export type Throttle = ReturnType<typeof createThrottle>;

export interface AttemptContext {
  readonly exists?: boolean;
  /** The id of the living session that repeats its password. */
  readonly session?: string;
  /** The password was already right. */
  readonly isProven?: boolean;
}

/** Delays of an account that run now. */
export interface AccountLock {
  password: boolean;
  totp: boolean;
  untilSeconds: number;
}

/** While a delay runs, its time is stored so often: a power cut makes it longer by no more than this. */
const runningDelaySeconds = 5 * 60;

/** A stop writes only the time if it would otherwise lose this much: `steward` with the agent down stops often. */
const staleSeconds = 60 * 60;

/** Seconds to each answer behind a seal: longer than the check of a password takes, with others before it. */
const sealedSeconds = 2;

const uncounted: Attempt = { fail: () => undefined, succeed: () => undefined, withdraw: () => undefined };

export function createThrottle(options: {
  document: Document<ThrottleRecord>;
  bootId: string;
  uptime: Uptime;
  timers: Timers;
}) {
  const stored = options.document.read();
  const { now, moment } = createDeviceUptime(stored.moment, options.bootId, options.uptime);
  const counts = readCounts(stored, now());
  const keyOf = createKeys(stored.key_secret);
  const delays = createDelays(counts, now, keyOf);
  let writtenAt = stored.moment.time;
  const writer = createThrottleWriter(options, () => {
    writtenAt = now();
    const state = { key_secret: stored.key_secret, moment: moment(), ...writeCounts(counts, writtenAt) };
    options.document.note(() => state, 0);
    if (delays.isAnyRunning()) writer.within(runningDelaySeconds);
  });
  // The stored moment is of another boot; the next boot must continue from this one.
  if (stored.moment.boot_id !== options.bootId && hasEntries(stored)) writer.within(failureDelaySeconds);
  const context = { counts, now, writer, changed: delays.changed };
  const clear = (account: string): void => {
    clearAccount(counts, account);
    delays.changed();
    writer.within(0);
  };
  return {
    /**
     * Call it before a password is checked: the try counts as failed until it is settled, so that parallel tries are
     * counted before they are checked. `name` is the name as sent, in lower case, whether or not there is such a user;
     * null if no account is meant (the setup token). `client` is the address from http/client-address.ts; null, the
     * device itself, is neither counted nor refused. Throws `too_many_attempts`; a refused try counts nowhere.
     */
    begin: (name: string | null, client: string | null, about: AttemptContext = {}): Attempt => {
      if (client === null) return uncounted;
      const { exists = false, session, isProven = false } = about;
      const target = {
        ...{ account: name === null ? null : keyOf(name), exists, isProven },
        session: session === undefined ? null : keyOf(session),
      };
      const site = siteOf(client);
      return beginAttempt(context, target, { client: keyOf(client), site: site && keyOf(site) });
    },
    /** Resolves when an attempt that has just begun behind a seal is to be answered. */
    untilAnswer: () => new Promise<void>((resolve) => void options.timers.after(sealedSeconds, resolve)),
    ...createCodeLocks(context, keyOf),
    /** True if the user of this name has signed in from here in the last 30 days. */
    isKnownTo: (name: string, client: string) => counts.known.isKnown(keyOf(name), keyOf(client), now()),
    /** True if a user has signed in from here in the last 30 days: such clients have a place in the hashing queue. */
    isKnownClient: (client: string) => counts.known.isKnownAtAll(keyOf(client), now()),
    /**
     * The delays that run now; null if there is none. `untilSeconds`: seconds from now to the end of the last of them.
     */
    lockOf: delays.lockOf,
    /** True while `lockOf` may give a delay for any name: a caller with many names asks first. */
    hasLocks: delays.isAnyRunning,
    /** Clears every count and lock of an account; those of clients stay. */
    unlock: (name: string) => clear(keyOf(name)),
    /** The user was deleted: a later one of the same name begins with nothing, not even known clients. */
    forget: (name: string): void => {
      counts.known.forget(keyOf(name));
      clear(keyOf(name));
    },
    /** Passes unsaved counts to the document before it is closed. */
    close: (): void => {
      const isOld = now() - writtenAt >= staleSeconds && hasEntries(writeCounts(counts, now()));
      writer.close(isOld || delays.isAnyRunning());
    },
  };
}

/** Names and addresses are kept as 72 bits of their HMAC: the file reveals neither. */
function createKeys(secret: string): (text: string) => string {
  const key = createSecretKey(secret, "hex");
  return (text) => createHmac("sha256", key).update(text).digest("base64url").slice(0, 12);
}

/** The running delays, cached until something changes: a list of users asks for each of them. */
function createDelays(counts: ThrottleState, now: () => number, keyOf: (name: string) => string) {
  let remembered: RunningDelays | undefined;
  const running = (): RunningDelays => {
    remembered ??= runningDelays(counts, now());
    return remembered;
  };
  const isAnyRunning = () => now() < running().lastEnd;
  return {
    changed: () => {
      remembered = undefined;
    },
    isAnyRunning,
    lockOf: (name: string): AccountLock | null => {
      if (!isAnyRunning()) return null;
      const account = keyOf(name);
      const { password, codes } = running();
      return toLock(password.get(account) ?? 0, codes.get(account) ?? 0, now());
    },
  };
}

function toLock(passwordEnd: number, codesEnd: number, now: number): AccountLock | null {
  const end = Math.max(passwordEnd, codesEnd);
  if (end <= now) return null;
  return { password: passwordEnd > now, totp: codesEnd > now, untilSeconds: end - now };
}

function hasEntries({ own, own_known, accounts, codes, windows, known }: StoredCounts): boolean {
  return [own, own_known, accounts, codes, windows, known].some((lines) => lines.length > 0);
}
