import { finding, line } from "../../contract/finding.ts";
import type { ClockConflict, Finding } from "../../contract/types.ts";
import type { SyncState } from "../state/sync-state.ts";
import type { Verdict } from "../state/verdict.ts";
import { dateOf, votesOf } from "./summary.ts";

/** The finding for an administrator: an external change, then what the sources say, then too few that agree; null: none. */
export function troubleOf(
  conflict: ClockConflict | null,
  { verdict, synced }: Pick<SyncState, "verdict" | "synced">,
): Finding | null {
  if (conflict) return conflictFinding(conflict);
  return (verdict && verdictFinding(verdict)) ?? minorityFinding(synced);
}

/** The others are silent or say another time. A single configured server is a choice. */
function minorityFinding(synced: SyncState["synced"]): Finding | null {
  if (synced === null || synced.trust === "trusted") return null;
  const votes = votesOf(synced.agreeing, synced.configured);
  return votes && finding("clock_minority_agrees", votes);
}

function conflictFinding({ code, daemon, step_seconds, frequency_ppm }: ClockConflict): Finding {
  switch (code) {
    case "other_daemon":
      return finding("clock_set_by_other_daemon", { daemon: daemon ?? "" });
    case "clock_stepped":
      return finding("clock_stepped_externally", { step_seconds: step_seconds ?? 0 });
    case "frequency_set":
      return finding("clock_frequency_set_externally", { frequency_ppm: frequency_ppm ?? 0 });
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
      return finding("clock_no_time_source", { server: verdict.refusal?.server ?? "" });
    case "no_majority":
      return finding("clock_no_majority", {});
    case "too_few":
      return finding("clock_too_few_agree", votesIn(verdict));
    case "too_few_authenticated":
      return finding("clock_too_few_authenticated", { ...votesIn(verdict), configured: verdict.configured });
    case "suspect":
      return finding("clock_server_suspect", { server: verdict.id });
    case "panic_threshold":
      return finding("clock_panic_threshold", { offset_seconds: verdict.seconds }, "", force);
    case "below_floor":
    case "beyond_ceiling":
      return finding(`clock_${verdict.kind}`, { measured_at: dateOf(verdict.measuredSeconds) });
  }
}

const force = line("steward time sync --force");

const votesIn = ({ agreeing, needed }: { agreeing: number; needed: number }) => ({ agreeing, needed });

/** Seconds by which no battery-backed clock errs that has kept its time: a day, which is more than any time zone. */
const lostSeconds = 86_400;

/** `right`: what the battery-backed clock should have said when it said `time`. */
export function batteryTroubleOf(time: Date, right: Date): Finding | null {
  const offset_seconds = Math.round((right.getTime() - time.getTime()) / 1_000);
  if (Math.abs(offset_seconds) < lostSeconds) return null;
  return finding("battery_clock_wrong", { offset_seconds });
}
