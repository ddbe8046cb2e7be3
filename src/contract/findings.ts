import type { NeedCode } from "./need-areas.ts";

/** The kinds of damage to a document of the state. `unrecorded`: an earlier release found it. */
export const damageKinds = ["missing", "unreadable", "newer", "unrecorded"] as const;

export const replacements = ["good_copy", "former_form", "defaults", "unrecorded"] as const;

/** The gravest first. `unseen`: the doctor could not look. */
export const levels = ["failing", "attention", "unseen", "ok"] as const;

const attention = <const Need extends NeedCode, const Facts extends readonly string[]>(
  need: Need,
  ...facts: Facts
) => ({ need, level: "attention", facts }) as const;

/** For what does not work, or is about to stop. */
const failing = <const Need extends NeedCode, const Facts extends readonly string[]>(
  need: Need,
  ...facts: Facts
) => ({ need, level: "failing", facts }) as const;

/** The parts of the program that are tested against a known answer, in the order of self-check.ts. */
export const programParts = ["signatures", "two-factor", "passwords", "clock", "sandbox", "rights"] as const;

export type ProgramPart = (typeof programParts)[number];

/** Everything that the agent can find: the need that it is listed under, its level and its facts (schemas/system.ts). */
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
  events_short: attention("event_log", "complete_since"),
  no_administrator: failing("no_administrator", "users"),
  sealing_key_unusable: failing("two_factor_key", "users", "path"),
  sealing_key_missing: failing("two_factor_key", "users", "path", "keys"),
  clock_set_by_other_daemon: attention("clock", "daemon"),
  clock_stepped_externally: attention("clock", "step_seconds"),
  clock_frequency_set_externally: attention("clock", "frequency_ppm"),
  clock_no_time_source: attention("clock", "server"),
  clock_no_majority: attention("clock"),
  clock_too_few_agree: attention("clock", "agreeing", "needed"),
  clock_too_few_authenticated: attention("clock", "agreeing", "needed", "configured"),
  clock_minority_agrees: attention("clock", "agreeing", "configured", "needed"),
  clock_server_suspect: attention("clock", "server"),
  clock_panic_threshold: attention("clock", "offset_seconds"),
  clock_below_floor: attention("clock", "measured_at"),
  clock_beyond_ceiling: attention("clock", "measured_at"),
  time_zone_unknown: attention("clock", "path"),
  battery_clock_wrong: attention("clock", "offset_seconds"),
  updates_degraded: attention("updates", "problem"),
  socket_unavailable: attention("listening", "path"),
  port_unavailable: attention("listening", "address"),
  https_unavailable: attention("https"),
  https_name_taken: attention("https", "address"),
  https_certificate_refused: attention("https", "certificate"),
  https_certificate_ending: attention("https", "certificate", "ends_at"),
  https_certificate_expired: failing("https", "certificate", "ends_at"),
  https_certificate_early: failing("https", "certificate", "begins_at"),
  program_broken: failing("program", "parts"),
  program_untested: failing("program"),
  sandbox_reduced: attention("program", "members"),
  root_helper_missing: failing("root_helper"),
  credential_lost: failing("credentials", "path"),
  backup_overdue: attention("unit"),
  upload_stopped: attention("unit"),
} as const;

export type FindingCode = keyof typeof findingKinds;

export type FindingFact = (typeof findingKinds)[FindingCode]["facts"][number];

export const healthCodes = ["ok", ...(Object.keys(findingKinds) as FindingCode[])] as const;

/** A need that is no finding of a health check. The clock is one as well without a finding, while nothing confirms it. */
export type OwnNeedCode = Exclude<NeedCode, (typeof findingKinds)[FindingCode]["need"]> | "clock";

/** Also a need that is its own finding, such as `update_available`. */
export type AnyFindingCode = FindingCode | NeedCode;
