import { StewardError } from "../../contract/errors.ts";
import type { Verdict } from "../loop/verdict.ts";
import { verdictSummary } from "./summary.ts";

/** Why a round that was asked for did not put the clock right; null: it did, or is about to. */
export function refusalOf(verdict: Verdict): StewardError | null {
  const code = errorCodeOf(verdict);
  const summary = verdictSummary(verdict);
  return code === null || summary === null ? null : new StewardError(code, summary.detail);
}

/** Another round so soon after one that succeeded is refused for so many seconds more. */
export function restingRefusal(seconds: number): StewardError {
  const retryAfter = Math.ceil(seconds);
  return new StewardError(
    "rate_limited",
    `The clock was measured a moment ago, and time servers refuse clients that ask too often. Try again in ${retryAfter} s.`,
    { details: { retryAfterSeconds: retryAfter } },
  );
}

function errorCodeOf({ kind }: Verdict): StewardError["code"] | null {
  switch (kind) {
    case "agreed":
    case "disturbed":
    case "to_be_confirmed":
      return null;
    case "no_servers":
    case "no_time_source":
      return "no_time_source";
    case "no_majority":
    case "too_few":
    case "suspect":
      return "no_majority";
    case "panic_threshold":
      return "panic_threshold";
    case "below_floor":
    case "beyond_ceiling":
      return "time_implausible";
  }
}
