import { randomBytes } from "node:crypto";
import type { DocumentKind } from "../../store/documents/document-kind.ts";
import { objectOf } from "../../store/validation/object-schema.ts";
import type { StoredMoment } from "./device-uptime.ts";
import type { KnownClient } from "./known-clients.ts";
import type { FailureCounter } from "./throttle-rules.ts";

/**
 * The counts of the throttle as they are stored: a line for each entry, first its keys, then whole numbers; times are
 * in seconds of device uptime. Objects would be ten times as large, and the file is written again and again under
 * attack.
 */
export interface ThrottleRecord {
  /** The key of the HMAC that replaces names and addresses here: 256 bits in hex. */
  readonly key_secret: string;
  readonly moment: StoredMoment;
  /** `account client failures at` */
  readonly own: readonly string[];
  /** The same for known clients, which strangers cannot push out. */
  readonly own_known: readonly string[];
  /** `account failures at` */
  readonly accounts: readonly string[];
  readonly codes: readonly string[];
  /** `client` and the time of its oldest failure, then the seconds from each to the next. */
  readonly windows: readonly string[];
  /** `account client at` */
  readonly known: readonly string[];
}

const lines = (pattern: string) => ({ type: "array", items: { type: "string", pattern } }) as const;
const key = "[A-Za-z0-9_-]{12}";
const number = "[0-9]{1,12}";
const seconds = { type: "number", minimum: 0 } as const;

/** Losing it costs counts and delays: attackers get their first tries again, and no user is locked out. */
export const throttleRecordKind: DocumentKind<ThrottleRecord> = {
  name: "attempts",
  formatVersion: "1.0.0",
  schema: objectOf({
    key_secret: { type: "string", pattern: "^[0-9a-f]{64}$" },
    moment: objectOf({ boot_id: { type: "string" }, uptime: seconds, time: seconds }),
    own: lines(`^${key} ${key} ${number} ${number}$`),
    own_known: lines(`^${key} ${key} ${number} ${number}$`),
    accounts: lines(`^${key} ${number} ${number}$`),
    codes: lines(`^${key} ${number} ${number}$`),
    windows: lines(`^${key}( ${number}){1,20}$`),
    known: lines(`^${key} ${key} ${number}$`),
  }),
  // Each process that makes these defaults makes a new key, which then stays in the file.
  defaults: {
    key_secret: randomBytes(32).toString("hex"),
    moment: { boot_id: "", uptime: 0, time: 0 },
    own: [],
    own_known: [],
    accounts: [],
    codes: [],
    windows: [],
    known: [],
  },
  onLoss: "defaults",
};

/** Reads lines of counters, whatever their keys. A time in the future, from a damaged file, would be an endless lock. */
export function readCounters(stored: readonly string[], now: number): [string, FailureCounter][] {
  return stored.map((line) => {
    const [at = "", failures = "", ...keys] = line.split(" ").reverse();
    return [keys.reverse().join(" "), { failures: Number(failures), at: Math.min(Number(at), now) }];
  });
}

export function writeCounters(entries: readonly [string, FailureCounter][]): string[] {
  return entries.map(([keys, { failures, at }]) => `${keys} ${failures} ${Math.round(at)}`);
}

export function readWindows(stored: readonly string[], now: number): [string, readonly number[]][] {
  return stored.map((line) => {
    const [client = "", ...steps] = line.split(" ");
    let at = 0;
    const times = steps.map((step) => {
      at += Number(step);
      return Math.min(at, now);
    });
    return [client, times];
  });
}

export function writeWindows(entries: readonly [string, readonly number[]][]): string[] {
  return entries.map(([client, times]) => {
    const whole = times.map(Math.round);
    return [client, ...whole.map((at, index) => at - (whole[index - 1] ?? 0))].join(" ");
  });
}

export function readKnown(stored: readonly string[], now: number): KnownClient[] {
  return stored.map((line) => {
    const [account = "", client = "", at] = line.split(" ");
    return { account, client, at: Math.min(Number(at), now) };
  });
}

export function writeKnown(entries: readonly KnownClient[]): string[] {
  return entries.map(({ account, client, at }) => `${account} ${client} ${Math.round(at)}`);
}
