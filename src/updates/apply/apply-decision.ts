import type { UpdateReason } from "../../contract/types.ts";
import type { UpdateKind } from "../../releases/release.ts";
import type { StoredRelease } from "../../releases/update-record.ts";
import {
  type HoldConditions,
  type HoldReason,
  heldBySchedule,
  holdBecause,
  holdReasonOf,
} from "../facts/hold-reason.ts";
import type { WindowsNow } from "./windows.ts";

/** All that decides whether a release is applied without a request. */
export interface ApplySituation {
  readonly conditions: HoldConditions;
  /** The reason why the release journal cannot be read; null: it can. */
  readonly unreadable: UpdateReason | null;
  /** The host file says how releases of this kind are activated. */
  readonly isConfigured: (kind: UpdateKind) => boolean;
  readonly windows: WindowsNow;
  /** Until when a release is postponed, by its id. */
  readonly postponed: ReadonlyMap<string, Date>;
  /** Releases that the installer refused, or that it could not be started for, by id. */
  readonly refused: ReadonlyMap<string, HoldReason>;
  /** The work in progress, in words; null: none. */
  readonly busy: string | null;
}

/**
 * Which of the staged releases is applied without a request: the first of them that may be, one at a time. `apply` null: nothing is
 * now. `again`: when to decide again if nothing else happens; null: never.
 */
export function decideApplying(staged: readonly StoredRelease[], situation: ApplySituation) {
  const judged = staged.map((release) => ({ release, hold: applyHoldOf(release, situation) }));
  const free = judged.find(({ hold }) => hold === null);
  if (free) return { apply: free.release, again: null };
  const ends = judged.flatMap(({ hold }) => (hold?.until ? [hold.until.getTime()] : []));
  return { apply: null, again: ends.length === 0 ? null : new Date(Math.min(...ends)) };
}

/** The gravest reason; null: apply it now. An urgent release does not wait for a window. */
export function applyHoldOf(release: StoredRelease, situation: ApplySituation): HoldReason | null {
  const { conditions, unreadable, isConfigured, windows, postponed, refused, busy } = situation;
  const { kind } = release;
  if (unreadable !== null) return holdBecause("journal_unreadable", { reason: unreadable });
  const hold = heldBySchedule(holdReasonOf(release, conditions), conditions.ota);
  if (hold !== null && (hold === conditions.blocked || ["not_verifiable", "failed"].includes(hold.code)))
    return hold;
  if (!isConfigured(kind)) return holdBecause("not_configured", { member: `/update/${kind}` });
  if (hold !== null) return hold;
  const refusal = refused.get(release.id);
  if (refusal) return refusal;
  const until = postponed.get(release.id);
  if (until && until > conditions.now) return holdBecause("postponed", { until });
  if (!windows.isOpen && !release.urgent)
    return holdBecause("window", { until: windows.opensAt, setting: "/update/windows" });
  return busy === null ? null : holdBecause("busy", { facts: { in_progress: busy } });
}
