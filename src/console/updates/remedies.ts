import type { ErrorCode } from "../../contract/error-codes.ts";
import type { ReleaseHold, UpdateSummary } from "../../contract/types.ts";

/** What a person can do about it; each is one button. */
export type Remedy =
  /** Ask the update server again. */
  | "check"
  /** Apply the release that is on offer. */
  | "apply"
  /** The parts of this page that are folded. */
  | "settings"
  | "trust"
  | "clock"
  | "logs"
  /** Nothing here: the sentence says who can, or it ends without help. */
  | null;

/** For a release that is held: applying it, unless something else has to come first. */
export const holdRemedies = {
  signature_verification_off: "settings",
  channel_not_allowed: "settings",
  trust_not_installed: "trust",
  trust_unusable: "trust",
  journal_unreadable: "logs",
  not_verifiable: "check",
  failed: null,
  held: "apply",
  deferred: "apply",
  not_configured: null,
  not_automatic: "apply",
  trust_not_established: "apply",
  clock_not_trusted: "clock",
  wave: "apply",
  disabled: "apply",
  refused: "apply",
  installer_unavailable: "logs",
  postponed: "apply",
  window: "apply",
  busy: null,
  download_failed: "check",
} as const satisfies Record<ReleaseHold["code"], Remedy>;

/** For updates as a whole; of releases their cards say it. */
export const summaryRemedies = {
  signature_verification_off: "settings",
  channel_not_allowed: "settings",
  trust_not_installed: "trust",
  trust_unusable: "trust",
  checking: null,
  downloading: null,
  requested: null,
  installing: null,
  confirming: null,
  rolling_back: null,
  waiting_for_clock: "clock",
  check_waiting_for_clock: "clock",
  available: null,
  staged: null,
  applied: null,
  undone: null,
  server_not_set: "settings",
  not_checked: "check",
  not_checked_disabled: "check",
  nothing_newer: null,
  check_failed: "check",
} as const satisfies Record<UpdateSummary["code"], Remedy>;

/** For a check that failed, where asking again is not what helps. */
const checkRemedies: Partial<Record<ErrorCode, Remedy>> = {
  update_server_refused: "settings",
  update_not_configured: "settings",
  update_root_unusable: "trust",
  update_trust_not_established: "trust",
  update_signature_invalid: "trust",
  clock_not_synchronised: "clock",
};

export function checkRemedy(code: string | null): Remedy {
  return checkRemedies[code as ErrorCode] ?? "check";
}

/** A newer agent may hold a release for a reason that this page does not know. */
export function holdRemedy(code: string | undefined): Remedy {
  const known: Readonly<Record<string, Remedy>> = holdRemedies;
  return code === undefined || !Object.hasOwn(known, code) ? "apply" : (known[code] ?? null);
}

export function summaryRemedy(code: string): Remedy {
  const known: Readonly<Record<string, Remedy>> = summaryRemedies;
  return Object.hasOwn(known, code) ? (known[code] ?? null) : null;
}
