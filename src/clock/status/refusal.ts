import { StewardError } from "../../contract/errors.ts";
import type { Verdict } from "../loop/verdict.ts";

/** Why a round that somebody asked for did not put the clock right; null: it did, or is about to. */
export function refusalOf(verdict: Verdict): StewardError | null {
  const { code, text } = reasonOf(verdict);
  return code === null ? null : new StewardError(code, text);
}

/** Another round so soon after one that succeeded is refused for so many seconds more. */
export function restingRefusal(seconds: number): StewardError {
  const retryAfter = Math.ceil(seconds);
  return new StewardError(
    "rate_limited",
    `The clock was measured a moment ago, and time servers take haste amiss. Try again in ${retryAfter} s.`,
    { details: { retryAfterSeconds: retryAfter } },
  );
}

/** The same as a sentence of the status, with its code. */
export function reasonOf(
  verdict: Verdict,
): { code: null; text: null } | { code: StewardError["code"]; text: string } {
  switch (verdict.kind) {
    case "agreed":
    case "disturbed":
    case "to_be_confirmed":
      return { code: null, text: null };
    case "no_servers":
      return {
        code: "no_time_source",
        text: "No time servers are set. Name some in time.servers, or set the clock by hand: `steward time set TIME`.",
      };
    case "no_time_source":
      return {
        code: "no_time_source",
        text: "None of the time servers gives a usable answer. Check the network and time.servers; `steward time status` says why for each. Without a network: `steward time set TIME`.",
      };
    case "no_majority":
      return {
        code: "no_majority",
        text: "The time servers do not agree with each other, and none of them has a majority. Remove the wrong one from time.servers, or add others.",
      };
    case "too_few":
      return {
        code: "no_majority",
        text: `${verdict.agreeing === 1 ? "Only one time server gives a usable answer" : `Only ${verdict.agreeing} of the time servers agree`}, and ${verdict.needed} must agree (time.min_agreeing). Add servers, or check why the others are silent.`,
      };
    case "suspect":
      return {
        code: "no_majority",
        text: `The only time server, ${verdict.id}, gave two answers that do not fit together. Nothing was set. Add a second server to time.servers.`,
      };
    case "panic_threshold":
      return {
        code: "panic_threshold",
        text: `The time servers say that this clock is ${inWords(verdict.seconds)}, more than time.panic_threshold allows in service. Look whether they are right, then: \`steward time sync --force\`.`,
      };
    case "below_floor":
      return {
        code: "time_implausible",
        text: `The time servers say ${dateOf(verdict.measuredSeconds)}, which this device takes to be past. If they are right, the floor is wrong: \`steward time floor reset\` as root.`,
      };
    case "beyond_ceiling":
      return {
        code: "time_implausible",
        text: `The time servers say ${dateOf(verdict.measuredSeconds)}, more than 15 years after this program was built. Check time.servers.`,
      };
  }
}

/** Seconds from which on days say more. */
const severalDays = 2 * 86_400;

/** `2000 s behind`, `0.30 s ahead`, `41.2 days behind`. */
export function inWords(offsetSeconds: number): string {
  const amount = Math.abs(offsetSeconds);
  const side = offsetSeconds > 0 ? "behind" : "ahead";
  if (amount >= severalDays) return `${(amount / 86_400).toFixed(1)} days ${side}`;
  return `${amount >= 10 ? amount.toFixed(0) : amount.toPrecision(2)} s ${side}`;
}

function dateOf(seconds: number): string {
  return Number.isFinite(seconds) && Math.abs(seconds) < 8.64e12
    ? new Date(seconds * 1_000).toISOString()
    : "no date";
}
