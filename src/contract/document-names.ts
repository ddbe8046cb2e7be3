/** The documents of the agent's state, as `steward state`, health and the files name them. */
export const documentNames = [
  "users",
  "settings",
  "sessions",
  "attempts",
  "tokens",
  "used-codes",
  "clock",
  "updates",
] as const;

export type DocumentName = (typeof documentNames)[number];
