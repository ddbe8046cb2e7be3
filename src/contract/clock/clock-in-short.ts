import type { TimeSync } from "../types.ts";

/** The part of the clock that the status and the metrics have: all that costs little to say. */
export type ClockInShort = Pick<
  TimeSync,
  | "mode"
  | "state"
  | "trust"
  | "authenticated"
  | "source"
  | "sources"
  | "offset_seconds"
  | "uncertainty_seconds"
  | "last_sync_at"
  | "last_sync_age_seconds"
  | "server_time"
  | "summary"
  | "counters"
>;
