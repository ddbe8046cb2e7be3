import { updateProblem } from "./schemas/update-reasons.ts";

/** What was wrong with a document of the state. `unrecorded`: an earlier release found it. */
export const damageKinds = ["missing", "unreadable", "newer", "unrecorded"] as const;

/** What was used in place of a damaged document. */
export const replacements = ["good_copy", "former_form", "defaults", "unrecorded"] as const;

const count = { type: "integer", minimum: 0 } as const;
const text = { type: "string" } as const;
const texts = { type: "array", items: text } as const;

/** The members that the facts of a health check can have; which of them a code has, `healthCodes` says. */
export const healthFacts = {
  path: { ...text, description: "mount point, directory or file" },
  free_bytes: count,
  least_bytes: { ...count, description: "fewer free bytes than this are reported" },
  free_inodes: { ...count, description: "files that can still be made" },
  least_inodes: { ...count, description: "fewer free inodes than this are reported" },
  has_reserve: {
    type: "boolean",
    description: "the file that is given up first when the disk is full exists",
  },
  document: { ...text, description: "of the state, such as settings" },
  error: { ...text, description: "an error code" },
  damage: { type: "string", enum: damageKinds, description: "of the newest finding" },
  replacement: { type: "string", enum: replacements, description: "what was used in its place" },
  found_at: { ...text, description: "RFC 3339 in UTC: the newest finding" },
  waiting: { ...count, description: "events in memory that are not on the disk yet" },
  lost: { ...count, description: "events that the journal alone has" },
  lines: { ...count, description: "damaged lines" },
  users: { ...count, description: "users concerned" },
  keys: { ...texts, description: "ids of the keys that are missing" },
  daemon: { ...text, description: "a time daemon" },
  step_seconds: { type: "number", description: "positive: the clock was set forward" },
  frequency_ppm: { type: "number", description: "what the clock's frequency was set to" },
  agreeing: { ...count, description: "time servers that agree" },
  needed: { ...count, description: "time servers that have to agree" },
  server: { ...text, description: "as it stands in time.servers" },
  offset_seconds: { type: "number", description: "positive: the clock is behind" },
  measured_at: {
    type: ["string", "null"],
    description: "RFC 3339 in UTC: the time that the servers say; null: not a date",
  },
  certificate: { ...text, description: "its name in the directory of certificates" },
  ends_at: { ...text, description: "RFC 3339 in UTC" },
  parts: { ...texts, description: "of the program, that do not work" },
  problem: { ...updateProblem, description: "with updates" },
} as const;

/** What a health check can find, and the facts that come with it. */
export const healthCodes = {
  ok: [],
  state_damaged: [],
  state_unreachable: [],
  disk_read_only: ["path"],
  disk_space_unknown: ["path"],
  disk_space_low: ["path", "free_bytes", "least_bytes", "has_reserve"],
  disk_inodes_low: ["path", "free_inodes", "least_inodes"],
  disk_reserve_missing: ["path"],
  document_not_written: ["document", "error"],
  document_waiting: ["document"],
  document_damage_found: ["document", "found_at", "damage", "replacement"],
  events_not_written: ["waiting", "lost", "error"],
  events_lost: ["lost"],
  events_damaged: ["lines"],
  sealing_key_unusable: ["users", "path"],
  sealing_key_missing: ["users", "path", "keys"],
  clock_set_by_other_daemon: ["daemon"],
  clock_stepped_externally: ["step_seconds"],
  clock_frequency_set_externally: ["frequency_ppm"],
  clock_no_time_source: [],
  clock_no_majority: [],
  clock_too_few_agree: ["agreeing", "needed"],
  clock_server_suspect: ["server"],
  clock_panic_threshold: ["offset_seconds"],
  clock_below_floor: ["measured_at"],
  clock_beyond_ceiling: ["measured_at"],
  updates_degraded: ["problem"],
  https_unavailable: [],
  https_certificate_refused: ["certificate"],
  https_certificate_ending: ["certificate", "ends_at"],
  program_broken: ["parts"],
  program_untested: [],
} as const satisfies Record<string, readonly (keyof typeof healthFacts)[]>;

export type HealthCode = keyof typeof healthCodes;
