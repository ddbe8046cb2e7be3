/** The clock in one word, for people. `unknown`: its time has not been measured yet. */
export const clockWords = ["in_sync", "set_by_hand", "not_in_sync", "unknown"] as const;

export const clockTrusts = ["trusted", "accepted", "none"] as const;

export const clockStates = [
  "unsynchronised",
  "acquiring",
  "synchronised",
  "holdover",
  "freerun",
  "delegated",
  "manual",
  "faulty",
] as const;

export const sourceStates = [
  "selected",
  "candidate",
  "outlier",
  "falseticker",
  "unreachable",
  "kod",
  "suspect",
  "unused",
] as const;
