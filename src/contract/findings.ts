import { eventRecords } from "./event-records.ts";
import type { NeedCode } from "./need-areas.ts";
import { updateProblem } from "./schemas/update-reasons.ts";

/** The kinds of damage to a document of the state. `unrecorded`: an earlier release found it. */
export const damageKinds = ["missing", "unreadable", "newer", "unrecorded"] as const;

/** The replacements for a damaged document. */
export const replacements = ["good_copy", "former_form", "defaults", "unrecorded"] as const;

const count = { type: "integer", minimum: 0 } as const;
const text = { type: "string" } as const;
const texts = { type: "array", items: text } as const;

/** The members that the facts of a finding can have; `findingKinds` says which of them a code has. */
export const findingFacts = {
  path: { ...text, description: "mount point, directory or file" },
  free_bytes: count,
  least_bytes: { ...count, description: "fewer free bytes than this are reported" },
  free_inodes: count,
  least_inodes: count,
  has_reserve: {
    type: "boolean",
    description: "the file that is given up first when the disk is full exists",
  },
  document: { ...text, description: "of the state, such as settings" },
  error: text,
  damage: { type: "string", enum: damageKinds },
  replacement: { type: "string", enum: replacements, description: "what was used in its place" },
  found_at: { ...text, description: "RFC 3339 in UTC: the newest finding" },
  waiting: { ...count, description: "events not on the disk yet" },
  lost: { ...count, description: "events that only the journal has" },
  lines: count,
  record: { type: "string", enum: Object.keys(eventRecords), description: "of events" },
  complete_since: { ...text, description: "RFC 3339 in UTC: the newest event that is gone" },
  users: count,
  keys: { ...texts, description: "ids of the keys that are missing" },
  daemon: text,
  step_seconds: { type: "number", description: "positive: the clock was set forward" },
  frequency_ppm: { type: "number" },
  agreeing: { ...count, description: "time servers" },
  configured: { ...count, description: "time servers that are set" },
  needed: count,
  server: { ...text, description: "as it stands in time.servers" },
  offset_seconds: { type: "number", description: "positive: the clock is behind" },
  measured_at: {
    type: ["string", "null"],
    description: "what the servers say; null: not a date",
  },
  address: { ...text, description: "with its port" },
  certificate: { ...text, description: "its name in the directory of certificates" },
  ends_at: text,
  begins_at: text,
  faults: texts,
  members: texts,
  parts: { ...texts, description: "of the program, that do not work" },
  problem: { ...updateProblem, description: "with updates" },
} as const;

/** The gravest first. `unseen`: the doctor could not look. */
export const levels = ["failing", "attention", "unseen", "ok"] as const;

type Fact = keyof typeof findingFacts;

const attention = <const Need extends NeedCode, const Facts extends readonly Fact[]>(
  need: Need,
  ...facts: Facts
) => ({ need, level: "attention", facts }) as const;

/** For what does not work, or is about to stop. */
const failing = <const Need extends NeedCode, const Facts extends readonly Fact[]>(
  need: Need,
  ...facts: Facts
) => ({ need, level: "failing", facts }) as const;

/** Everything that the agent can find: the need that it is listed under, its level and its facts. */
export const findingKinds = {
  state_damaged: failing("rescue"),
  state_unreachable: failing("rescue"),
  host_file_refused: failing("host_file", "path", "faults"),
  host_file_without_copy: failing("host_file", "path", "faults"),
  host_file_members_unknown: attention("host_file", "path", "members"),
  disk_read_only: failing("disk", "path"),
  disk_space_unknown: failing("disk", "path"),
  disk_space_low: failing("disk", "path", "free_bytes", "least_bytes", "has_reserve"),
  disk_inodes_low: failing("disk", "path", "free_inodes", "least_inodes"),
  disk_reserve_missing: failing("disk", "path"),
  document_not_written: attention("state_document", "document", "error"),
  document_waiting: attention("state_document", "document"),
  document_damage_found: attention("state_document", "document", "found_at", "damage", "replacement"),
  events_not_written: attention("event_log", "waiting", "lost", "error"),
  events_lost: attention("event_log", "lost"),
  events_damaged: attention("event_log", "lines"),
  events_short: attention("event_log", "record", "complete_since"),
  sealing_key_unusable: failing("two_factor_key", "users", "path"),
  sealing_key_missing: failing("two_factor_key", "users", "path", "keys"),
  clock_set_by_other_daemon: attention("clock", "daemon"),
  clock_stepped_externally: attention("clock", "step_seconds"),
  clock_frequency_set_externally: attention("clock", "frequency_ppm"),
  clock_no_time_source: attention("clock"),
  clock_no_majority: attention("clock"),
  clock_too_few_agree: attention("clock", "agreeing", "needed"),
  clock_minority_agrees: attention("clock", "agreeing", "configured", "needed"),
  clock_server_suspect: attention("clock", "server"),
  clock_panic_threshold: attention("clock", "offset_seconds"),
  clock_below_floor: attention("clock", "measured_at"),
  clock_beyond_ceiling: attention("clock", "measured_at"),
  battery_clock_wrong: attention("clock", "offset_seconds"),
  updates_degraded: attention("updates", "problem"),
  socket_unavailable: attention("listening", "path"),
  port_unavailable: attention("listening", "address"),
  https_unavailable: attention("https"),
  https_certificate_refused: attention("https", "certificate"),
  https_certificate_ending: attention("https", "certificate", "ends_at"),
  https_certificate_expired: failing("https", "certificate", "ends_at"),
  https_certificate_early: failing("https", "certificate", "begins_at"),
  program_broken: failing("program", "parts"),
  program_untested: failing("program"),
  root_helper_missing: failing("root_helper"),
} as const;

export type FindingCode = keyof typeof findingKinds;

/** The codes of health checks. */
export const healthCodes = ["ok", ...(Object.keys(findingKinds) as FindingCode[])] as const;

/** Also a need that is its own finding, such as `update_available`. */
export type AnyFindingCode = FindingCode | NeedCode;
