import { type BlockingHoldCode, blockingHolds, type UpdateRemedy } from "./update-summaries.ts";

/** Reasons why one release is not fetched or applied without a request, with what a person can do about it. */
const holdsOfOne = {
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
} as const satisfies Record<string, UpdateRemedy>;

export type HoldCode = BlockingHoldCode | keyof typeof holdsOfOne;

export const holdCodes = [...Object.keys(blockingHolds), ...Object.keys(holdsOfOne)] as readonly HoldCode[];

/** A newer agent may hold a release for a reason that is not known here: it can be applied. */
export function holdRemedy(code: string): UpdateRemedy {
  const rows: Readonly<Record<string, UpdateRemedy>> = holdsOfOne;
  if (Object.hasOwn(rows, code)) return rows[code] ?? null;
  return Object.hasOwn(blockingHolds, code) ? blockingHolds[code as BlockingHoldCode].remedy : "apply";
}
