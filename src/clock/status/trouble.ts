import type { ClockConflict, Trouble } from "../../contract/types.ts";
import type { Verdict } from "../loop/verdict.ts";
import { verdictSummary } from "./summary.ts";

/** What an administrator should know of the clock: an external change first, then what the sources say; null: all is well. */
export function troubleOf(conflict: ClockConflict | null, verdict: Verdict | null): Trouble | null {
  if (conflict) return conflictTrouble(conflict);
  return verdict && verdictTrouble(verdict);
}

function conflictTrouble({ code, detail, daemon, step_seconds, frequency_ppm }: ClockConflict): Trouble {
  switch (code) {
    case "other_daemon":
      return { code: "clock_set_by_other_daemon", detail, facts: { daemon: daemon ?? "" } };
    case "clock_stepped":
      return { code: "clock_stepped_externally", detail, facts: { step_seconds: step_seconds ?? 0 } };
    case "frequency_set":
      return {
        code: "clock_frequency_set_externally",
        detail,
        facts: { frequency_ppm: frequency_ppm ?? 0 },
      };
  }
}

/** A device without time servers is set by hand, and one offset to be confirmed is not yet a trouble. */
function verdictTrouble(verdict: Verdict): Trouble | null {
  const { detail = "", measured_at = null } = verdictSummary(verdict) ?? {};
  switch (verdict.kind) {
    case "agreed":
    case "disturbed":
    case "to_be_confirmed":
    case "no_servers":
      return null;
    case "no_time_source":
      return { code: "clock_no_time_source", detail, facts: {} };
    case "no_majority":
      return { code: "clock_no_majority", detail, facts: {} };
    case "too_few": {
      const { agreeing, needed } = verdict;
      return { code: "clock_too_few_agree", detail, facts: { agreeing, needed } };
    }
    case "suspect":
      return { code: "clock_server_suspect", detail, facts: { server: verdict.id } };
    case "panic_threshold":
      return { code: "clock_panic_threshold", detail, facts: { offset_seconds: verdict.seconds } };
    case "below_floor":
      return { code: "clock_below_floor", detail, facts: { measured_at } };
    case "beyond_ceiling":
      return { code: "clock_beyond_ceiling", detail, facts: { measured_at } };
  }
}
