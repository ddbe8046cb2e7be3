import { finding, line, type Remedy } from "../../contract/finding.ts";
import type { FindingCode } from "../../contract/findings.ts";
import type { ClockConflict, Finding } from "../../contract/types.ts";
import { clockFindings } from "../../contract/words/en/clock.ts";
import { terminalFormat } from "../../contract/words/format.ts";
import type { SyncState } from "../state/sync-state.ts";
import type { Verdict } from "../state/verdict.ts";
import { dateOf, votesOf } from "./summary.ts";

/**
 * The finding that an administrator should know of: an external change first, then what the sources say, then that too
 * few of them agree for the time to be trusted; null: all is well.
 */
export function troubleOf(
  conflict: ClockConflict | null,
  { verdict, synced }: Pick<SyncState, "verdict" | "synced">,
): Finding | null {
  if (conflict) return conflictFinding(conflict);
  return (verdict && verdictFinding(verdict)) ?? minorityFinding(synced);
}

function clockFinding<const Code extends FindingCode & keyof typeof clockFindings>(
  code: Code,
  facts: Finding<Code>["facts"],
  remedy: Remedy | null = null,
): Finding<Code> {
  return finding(code, facts, clockFindings[code](facts, terminalFormat), remedy);
}

/** The others are silent or say another time. A single configured server is a choice. */
function minorityFinding(synced: SyncState["synced"]): Finding | null {
  if (synced === null || synced.trust === "trusted") return null;
  const votes = votesOf(synced.agreeing, synced.configured);
  return votes && clockFinding("clock_minority_agrees", votes);
}

function conflictFinding({ code, daemon, step_seconds, frequency_ppm }: ClockConflict): Finding {
  switch (code) {
    case "other_daemon":
      return clockFinding("clock_set_by_other_daemon", { daemon: daemon ?? "" });
    case "clock_stepped":
      return clockFinding("clock_stepped_externally", { step_seconds: step_seconds ?? 0 });
    case "frequency_set":
      return clockFinding("clock_frequency_set_externally", { frequency_ppm: frequency_ppm ?? 0 });
  }
}

/** A device without time servers is set by hand, and one offset to be confirmed is no finding yet. */
function verdictFinding(verdict: Verdict): Finding | null {
  switch (verdict.kind) {
    case "agreed":
    case "disturbed":
    case "to_be_confirmed":
    case "no_servers":
      return null;
    case "no_time_source":
      return clockFinding("clock_no_time_source", {});
    case "no_majority":
      return clockFinding("clock_no_majority", {});
    case "too_few": {
      const { agreeing, needed } = verdict;
      return clockFinding("clock_too_few_agree", { agreeing, needed });
    }
    case "suspect":
      return clockFinding("clock_server_suspect", { server: verdict.id });
    case "panic_threshold": {
      const force = line("steward time sync --force");
      return clockFinding("clock_panic_threshold", { offset_seconds: verdict.seconds }, force);
    }
    case "below_floor":
    case "beyond_ceiling":
      return clockFinding(`clock_${verdict.kind}`, { measured_at: dateOf(verdict.measuredSeconds) });
  }
}

/** Seconds by which no battery-backed clock errs that has kept its time: a day, which is more than any time zone. */
const lostSeconds = 86_400;

/** `right`: what the battery-backed clock should have said when it said `time`. */
export function batteryTroubleOf(time: Date, right: Date): Finding | null {
  const offset_seconds = Math.round((right.getTime() - time.getTime()) / 1_000);
  if (Math.abs(offset_seconds) < lostSeconds) return null;
  return clockFinding("battery_clock_wrong", { offset_seconds });
}
