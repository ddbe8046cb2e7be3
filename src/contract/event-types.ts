/**
 * The events that the agent records. `log`: changes have nine tenths of the space, and only authenticated callers cause
 * them; strangers can cause refusals, which are counted together and cannot displace changes. `audience`: who may read
 * events that do not concern them: security events only administrators, operations operators too.
 */
const security = { log: "changes", audience: "security" } as const;
const operations = { log: "changes", audience: "operations" } as const;
const refusal = { log: "refusals", audience: "security" } as const;

export const eventTypes = {
  "setup.done": security,
  "setup.rescued": security,
  "sign_in.succeeded": security,
  "sign_in.refused": refusal,
  "step_up.succeeded": security,
  "session.ended": security,
  "session.reused": security,
  "session.cookie_refused": refusal,
  "password.changed": security,
  "user.created": security,
  "user.changed": security,
  "user.deleted": security,
  "user.password_reset": security,
  "user.unlocked": security,
  "user.rescued": security,
  "user.sessions_ended": security,
  "two_factor.set_up": security,
  "two_factor.enabled": security,
  "two_factor.disabled": security,
  "two_factor.recovered": security,
  "two_factor.recovery_codes_made": security,
  "two_factor.skew_seen": security,
  "codes.locked": security,
  "token.created": security,
  "token.rotated": security,
  "token.deleted": security,
  "token.tolerated": security,
  "clock.epoch_raised": operations,
  "clock.stepped": operations,
  "clock.set_by_hand": operations,
  "clock.source_changed": operations,
  "clock.contradicted": operations,
  "clock.panicked": operations,
  "clock.contested": operations,
  "clock.sync_requested": operations,
  "clock.reselect_requested": operations,
  "clock.floor_reset": operations,
  "update.trust_installed": operations,
  "update.trust_confirmed": operations,
  "update.root_rotated": operations,
  "update.check_requested": operations,
  "update.check_failed": operations,
  "update.check_recovered": operations,
  "update.available": operations,
  "update.staged": operations,
  "update.download_failed": operations,
  "update.apply_requested": operations,
  "update.rollback_requested": operations,
  "update.postponed": operations,
  "update.failure_dismissed": operations,
  "update.applying": operations,
  "update.applied": operations,
  "update.undone": operations,
  "update.refused": operations,
  "settings.changed": operations,
  "configuration.applied": security,
  "host_file.read": operations,
  "host_file.refused": operations,
  "https.certificate_changed": operations,
  "https.certificate_refused": operations,
  "host.changed": operations,
  "host.reboot_requested": operations,
  "host.power_off_requested": operations,
  "host.reset_requested": operations,
  "host.reset": operations,
  "host.identity_changed": operations,
  "state.damage_found": operations,
  "state.damage_accepted": operations,
  "need.began": operations,
  "need.ended": operations,
  "request.refused": refusal,
} as const satisfies Record<string, { log: "changes" | "refusals"; audience: "security" | "operations" }>;

export type EventType = keyof typeof eventTypes;

/** Types that people look for together: those whose names begin with one of these words and a dot. */
export const eventGroups = {
  sign_in: ["setup", "sign_in", "step_up", "session", "codes"],
  users: ["user", "password", "two_factor", "token"],
  clock: ["clock"],
  updates: ["update"],
  settings: ["settings", "configuration", "host_file", "https"],
  device: ["host", "state", "need"],
  requests: ["request"],
} as const satisfies Record<string, readonly string[]>;

export type EventGroup = keyof typeof eventGroups;

/** The group of a type; null: a later version's, which this one does not know. */
export function groupOf(type: string): EventGroup | null {
  const [word = ""] = type.split(".");
  const groups = Object.keys(eventGroups) as EventGroup[];
  return groups.find((group) => (eventGroups[group] as readonly string[]).includes(word)) ?? null;
}

/**
 * Records, each with a share of the space in which changes are kept longest, and the first words of their types; `use`
 * has all others.
 */
export const eventRecords = {
  users: ["setup", "user", "password", "two_factor"],
  tokens: ["token"],
  trust: [],
  updates: ["update"],
  configuration: ["settings", "configuration", "host_file", "https", "host", "state"],
  use: [],
} as const satisfies Record<string, readonly string[]>;

export type EventRecord = keyof typeof eventRecords;

/** Types that are kept elsewhere than their first word says. */
const recordsOfTypes: Readonly<Record<string, EventRecord>> = {
  "update.trust_installed": "trust",
  "update.trust_confirmed": "trust",
  "update.root_rotated": "trust",
  // One for each request.
  "token.tolerated": "use",
};

/** The record of a type, also of one that a later version has added. */
export function recordOf(type: string): EventRecord {
  const [word = ""] = type.split(".");
  const records = Object.keys(eventRecords) as EventRecord[];
  const byWord = records.find((record) => (eventRecords[record] as readonly string[]).includes(word));
  return recordsOfTypes[type] ?? byWord ?? "use";
}

/** What the clock tells of itself. */
export type ClockEventType = Extract<
  EventType,
  "clock.stepped" | "clock.source_changed" | "clock.contradicted" | "clock.panicked" | "clock.contested"
>;

/** What the updates tell of themselves. */
export type UpdateEventType = Extract<
  EventType,
  | "update.trust_installed"
  | "update.root_rotated"
  | "update.check_failed"
  | "update.check_recovered"
  | "update.available"
  | "update.staged"
  | "update.download_failed"
  | "update.applying"
  | "update.applied"
  | "update.undone"
  | "update.refused"
>;
