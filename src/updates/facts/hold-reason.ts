import type { ReleaseHold, Settings } from "../../contract/types.ts";
import type { UpdateFacts } from "../../contract/update-facts.ts";
import type { BlockingHoldCode } from "../../contract/updates/update-summaries.ts";
import type { SetAsideRelease } from "../../releases/journal-queries.ts";
import type { Blockers } from "../../releases/kind-blockers.ts";
import { reasonOf, reasonOfError } from "../../releases/outcome-reasons.ts";
import type { UpdateKind } from "../../releases/release.ts";
import type { StoredRelease } from "../../releases/update-record.ts";
import { holdSentence } from "./update-sentences.ts";

type Ota = Settings["update"]["ota"];

/** The facts that decide whether a release is fetched, or applied, without a request. */
export interface HoldConditions {
  /** The reason that blocks all updates; null: none does. */
  readonly blocked: BlockReason | null;
  /** Kinds whose metadata the last check could not verify. */
  readonly blockers: Blockers;
  readonly ota: Ota;
  readonly isTrustEstablished: boolean;
  readonly isClockTrusted: boolean;
  /** Releases that failed here, are held or deferred, by id. */
  readonly blocklist: ReadonlyMap<string, SetAsideRelease>;
  readonly now: Date;
}

/** The reason why a release is not fetched, or not applied, without a request. */
export interface HoldReason extends Omit<ReleaseHold, "until"> {
  /** When it ends; null: at no known time. */
  readonly until: Date | null;
}

export type BlockReason = HoldReason & { readonly code: BlockingHoldCode };

/** A hold with its sentence. `member`: of the host file, where that decides it and no setting. */
export function holdBecause<Code extends HoldReason["code"]>(
  code: Code,
  told: Omit<UpdateFacts, "until"> & { readonly until?: Date | null; readonly member?: string } = {},
): HoldReason & { readonly code: Code } {
  const { until = null, setting = null, reason = null, member = setting, facts } = told;
  const detail = holdSentence(code, { ...told, setting: member, until: until?.toISOString() ?? null });
  return { code, detail, until, setting, reason, ...(facts && { facts }) };
}

/** As the API has it. */
export function releaseHold({ until, ...hold }: HoldReason): ReleaseHold {
  return { ...hold, until: until?.toISOString() ?? null };
}

/** The gravest reason; null: fetch it now. */
export function holdReasonOf(release: StoredRelease, conditions: HoldConditions): HoldReason | null {
  const { blocked, blockers, ota, isTrustEstablished, isClockTrusted, blocklist, now } = conditions;
  const { kind } = release;
  if (blocked !== null) return blocked;
  const blocker = blockers[kind];
  if (blocker !== null) {
    const reason = reasonOfError({ code: blocker.code, message: blocker.detail });
    return holdBecause("not_verifiable", { reason });
  }
  const listed = blocklist.get(release.id);
  if (listed) return blocklistHold(listed, ota);
  if (!isAutomatic(kind, ota))
    return holdBecause("not_automatic", { kind, setting: `/update/ota/auto_update_${kind}` });
  if (kind === "binary" && !isTrustEstablished) return holdBecause("trust_not_established");
  if (!isClockTrusted) return holdBecause("clock_not_trusted");
  if (release.due_at === null || now.getTime() >= Date.parse(release.due_at)) return null;
  return holdBecause("wave", { until: new Date(release.due_at) });
}

/** Releases of this kind need no request. */
function isAutomatic(kind: UpdateKind, ota: Ota): boolean {
  return kind === "rules" ? ota.auto_update_rules : ota.auto_update_binary;
}

/** The end of a wait, where something is done then without a request; otherwise null: to name it would be a promise. */
export function untilTried(until: Date | null, kind: UpdateKind, ota: Ota): Date | null {
  return ota.enabled && isAutomatic(kind, ota) ? until : null;
}

/** Scheduled updates are off: with these holds the release waits for more than they say. */
const passing: readonly HoldReason["code"][] = ["wave", "trust_not_established", "clock_not_trusted"];

/** The hold as people see it: with scheduled updates off, nothing is done when one of `passing` ends. */
export function heldBySchedule(hold: HoldReason | null, { enabled }: Ota): HoldReason | null {
  if (enabled || (hold !== null && !passing.includes(hold.code))) return hold;
  return holdBecause("disabled", { setting: "/update/ota/enabled" });
}

function blocklistHold({ kind, why, reason, cause, until }: SetAsideRelease, ota: Ota): HoldReason {
  const ends = until === null ? null : untilTried(new Date(until), kind, ota);
  return holdBecause(why, { kind, reason: reasonOf(reason, cause), until: ends });
}
