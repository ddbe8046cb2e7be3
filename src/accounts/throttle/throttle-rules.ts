/** Failures in a row, and the beginning of the last of them, in seconds of device uptime. */
export interface FailureCounter {
  readonly failures: number;
  readonly at: number;
}

/** A rule for failures in a row: after so many, each is followed by a delay that doubles up to the longest. */
interface Escalation {
  failures: number;
  firstSeconds: number;
  longestSeconds: number;
}

/** A person mistypes a few times; an attacker gets a hundred tries a day (docs/design/throttling.md, rule 2). */
const ownEscalation: Escalation = { failures: 5, firstSeconds: 30, longestSeconds: 15 * 60 };

/** Three codes in a million are right at any time. Ten tries and then six a day take years to guess one. */
const codeEscalation: Escalation = { failures: 10, firstSeconds: 15 * 60, longestSeconds: 4 * 60 * 60 };

/** A site (the /48 of an IPv6 client) may have this many times as much as one of its clients. */
const siteShare = 10;

/** Failures in a row after which each strange client has one try in so many seconds. */
const accountFailures = 100;
const accountSeconds = 60;

/** The end of this client's delay, at most 15 minutes; 0: none. `account`: strange clients' failures; undefined: known. */
export function ownEnd(own: FailureCounter | undefined, account: FailureCounter | undefined): number {
  if (!own) return 0;
  const isSlowed = account !== undefined && account.failures >= accountFailures;
  return own.at + Math.max(ownDelaySeconds(own.failures), isSlowed ? accountSeconds : 0);
}

/** The end of this account's delay for a site: after ten times as many failures, a tenth as long. */
export function siteEnd(own: FailureCounter | undefined): number {
  return own ? own.at + ownDelaySeconds(Math.floor(own.failures / siteShare)) / siteShare : 0;
}

/** The window of a client: the number of failures that it takes, over all accounts, and its length. */
export const clientWindow = { failures: 20, seconds: 10 * 60 };

export const siteWindow = { ...clientWindow, failures: clientWindow.failures * siteShare };

/**
 * The window of an account's codes that were wrong, from all clients: 720 a day of a million, three of which are right.
 */
export const codeWindow = { failures: 30, seconds: 60 * 60 };

/** The time at which the oldest failure of a full window leaves it; minus infinity while there is room. */
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
