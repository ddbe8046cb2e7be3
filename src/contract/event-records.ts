/** The chains of the record: strangers can cause refusals, the product its reports, and neither displaces a change. */
export const eventLogs = ["changes", "refusals", "reports"] as const;

/** Types that people look for together: those whose names begin with one of these words and a dot. */
export const eventGroups = {
  sign_in: ["setup", "sign_in", "step_up", "session", "codes"],
  users: ["user", "password", "two_factor", "token"],
  clock: ["clock"],
  updates: ["update"],
  settings: ["settings", "configuration", "host_file", "https", "notify"],
  device: ["host", "state", "backup", "need"],
  requests: ["request"],
  product: ["product"],
} as const satisfies Record<string, readonly string[]>;

export type EventGroup = keyof typeof eventGroups;

/** The group of a type; null: a later version's, which this one does not know. */
export function groupOf(type: string): EventGroup | null {
  const [word = ""] = type.split(".");
  const groups = Object.keys(eventGroups) as EventGroup[];
  return groups.find((group) => (eventGroups[group] as readonly string[]).includes(word)) ?? null;
}
