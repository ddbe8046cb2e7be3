/** A person's way to put it right; each is one button. */
export type UpdateRemedy =
  /** Ask the update server again. */
  | "check"
  /** Apply the release that is on offer. */
  | "apply"
  /** The parts of the page about updates that are folded. */
  | "settings"
  | "trust"
  | "clock"
  | "logs"
  /** Nothing here: the sentence says who can, or it ends without help. */
  | null;

export type UpdateTile = "upToDate" | "available" | "failed" | "undone" | "underWay" | "notSetUp" | "unknown";

const row = (tile: UpdateTile, remedy: UpdateRemedy = null) => ({ tile, remedy });

/** Reasons that block all updates: each is a hold, a summary and a problem. The gravest first. */
export const blockingHolds = {
  signature_verification_off: row("notSetUp", "settings"),
  channel_not_allowed: row("notSetUp", "settings"),
  trust_not_installed: row("notSetUp"),
  trust_unusable: row("unknown"),
} as const;

/** The subjects of the summary of all updates; a release's own card says what can be done about it. */
export const updateSummaries = {
  ...blockingHolds,
  checking: row("underWay"),
  downloading: row("underWay"),
  requested: row("underWay"),
  installing: row("underWay"),
  confirming: row("underWay"),
  rolling_back: row("underWay"),
  waiting_for_clock: row("available", "clock"),
  check_waiting_for_clock: row("unknown", "clock"),
  available: row("available"),
  staged: row("available"),
  applied: row("upToDate"),
  undone: row("undone"),
  server_not_set: row("notSetUp", "settings"),
  not_checked: row("unknown", "check"),
  not_checked_disabled: row("unknown", "check"),
  nothing_newer: row("upToDate"),
  check_failed: row("unknown", "check"),
} as const;

/** The problems of updates that block nothing, the gravest first. */
export const otherUpdateProblems = [
  "former_not_healthy",
  "journal_unreadable",
  "not_verifiable",
  "check_failed",
  "refused",
  "installer_unavailable",
  "request_failed",
  "automatic_binary_ineffective",
] as const;

export type BlockingHoldCode = keyof typeof blockingHolds;
export type UpdateSummaryCode = keyof typeof updateSummaries;
export type UpdateProblemCode = BlockingHoldCode | (typeof otherUpdateProblems)[number];

/** True for the withdrawal of the installed release, whose version is `here`: a need until that is replaced or forgiven. */
export function isRecall({ code, here }: { readonly code: string; readonly here: string | null }): boolean {
  return code === "withdrawn" && here !== null;
}
