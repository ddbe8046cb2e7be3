/** Failures in a row, and when the last of them was begun, in seconds of device uptime. */
export interface FailureCounter {
  readonly failures: number;
  readonly at: number;
}

/** What counts against a try. */
export interface PastFailures {
  /** Of this account from this client. */
  own: FailureCounter | undefined;
  /** Of this account from all strange clients; undefined for a client that is known for this account. */
  account: FailureCounter | undefined;
  /** When the failures of this client were, whatever the account: those of the window, oldest first. */
  window: readonly number[];
}

/** A row of failures, after so many of which each is followed by a delay that doubles up to the longest. */
interface Escalation {
  failures: number;
  firstSeconds: number;
  longestSeconds: number;
}

/** A person mistypes a few times; an attacker gets a hundred tries a day (docs/design/throttling.md, rule 2). */
const ownEscalation: Escalation = { failures: 5, firstSeconds: 30, longestSeconds: 15 * 60 };

/** Three codes in a million are right at any time; at ten tries, then six a day, that is years of guessing. */
const codeEscalation: Escalation = { failures: 10, firstSeconds: 15 * 60, longestSeconds: 4 * 60 * 60 };

/** Failures that a client may have within the window, over all accounts. */
export const windowFailures = 20;
export const windowSeconds = 10 * 60;

/** How many times as much a site (the /48 of an IPv6 client) may have as one of its clients. */
export const siteShare = 10;

/** Failures in a row after which strange clients have one try each in so many seconds. */
const accountFailures = 100;
const accountSeconds = 60;

/** Seconds until this try may be made; 0: now. Never a refusal without an end: a minute, ten, fifteen at most. */
export function waitSeconds(past: PastFailures, now: number): number {
  return Math.max(0, ownEnd(past.own, past.account) - now, windowEnd(past.window) - now);
}

/** When the delay of this account for this client ends or ended; 0 where there is none. */
export function ownEnd(own: FailureCounter | undefined, account: FailureCounter | undefined): number {
  if (!own) return 0;
  const isSlowed = account !== undefined && account.failures >= accountFailures;
  return own.at + Math.max(ownDelaySeconds(own.failures), isSlowed ? accountSeconds : 0);
}

/** When the delay of this account for a site ends or ended: after ten times as many failures, a tenth as long. */
export function siteEnd(own: FailureCounter | undefined): number {
  return own ? own.at + ownDelaySeconds(Math.floor(own.failures / siteShare)) / siteShare : 0;
}

/** How much a window takes, and for how long. */
export interface WindowSize {
  readonly failures: number;
  readonly seconds: number;
}

/** Of a client. */
export const clientWindow: WindowSize = { failures: windowFailures, seconds: windowSeconds };

/** Of a site. */
export const siteWindow: WindowSize = { failures: windowFailures * siteShare, seconds: windowSeconds };

/** Codes of an account that were judged and not right, from wherever: 720 a day of a million, three of which are right. */
export const codeWindow: WindowSize = { failures: 30, seconds: 60 * 60 };

/** When the oldest failure of a full window leaves it; never (minus infinity) while there is room. */
export function windowEnd(window: readonly number[], { failures, seconds } = clientWindow): number {
  return (window.at(-failures) ?? Number.NEGATIVE_INFINITY) + seconds;
}

/** Seconds that an account's client must wait after so many failures in a row. */
export function ownDelaySeconds(failures: number): number {
  return delaySeconds(ownEscalation, failures);
}

/** Seconds that an account's codes are refused after so many wrong ones in a row. */
export function codeDelaySeconds(failures: number): number {
  return delaySeconds(codeEscalation, failures);
}

function delaySeconds(
  { failures: free, firstSeconds, longestSeconds }: Escalation,
  failures: number,
): number {
  if (failures < free) return 0;
  return Math.min(longestSeconds, firstSeconds * 2 ** (failures - free));
}
