/** Types that people look for together: those whose names begin with one of these words and a dot. */
export const eventGroups = {
  sign_in: ["setup", "sign_in", "step_up", "session", "codes"],
  users: ["user", "password", "two_factor", "token"],
  clock: ["clock"],
  updates: ["update"],
  settings: ["settings", "configuration", "host_file", "https", "notify"],
  device: ["host", "state", "backup", "need"],
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
  configuration: ["settings", "configuration", "host_file", "https", "host", "state", "backup", "notify"],
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
