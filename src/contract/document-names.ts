/** The documents of the agent's state that each start opens, as `steward state`, health and the files name them. */
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

/** Documents that are opened when they are first needed, which is never on most devices. */
export const lateDocumentNames = ["receiver-secrets", "outbox"] as const;
