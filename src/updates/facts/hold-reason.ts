import type { ReleaseHold, Settings } from "../../contract/types.ts";
import type { SetAsideRelease } from "../../releases/journal-queries.ts";
import type { Blockers } from "../../releases/kind-blockers.ts";
import { reasonOf, reasonOfError } from "../../releases/outcome-reasons.ts";
import type { StoredRelease } from "../../releases/update-record.ts";
import { type HoldFacts, holdSentence } from "./update-sentences.ts";

/** What decides whether a release is fetched, or applied, without a request. */
export interface HoldConditions {
  /** Why updates do not work at all. */
  readonly blocked: HoldReason | null;
  /** Kinds whose metadata the last check could not verify. */
  readonly blockers: Blockers;
  readonly ota: Settings["update"]["ota"];
  readonly isTrustEstablished: boolean;
  readonly isClockTrusted: boolean;
  /** Releases that failed here, are held or deferred, by id. */
  readonly blocklist: ReadonlyMap<string, SetAsideRelease>;
  readonly now: Date;
}

/** Why a release is not fetched, or not applied, without a request. */
export interface HoldReason extends Omit<ReleaseHold, "until"> {
  /** When it ends; null: at no known time. */
  readonly until: Date | null;
}

/** A hold with its sentence. */
export function holdBecause(
  code: HoldReason["code"],
  facts: Omit<HoldFacts, "until"> & { readonly until?: Date | null; readonly setting?: string } = {},
): HoldReason {
  const { until = null, setting = null, reason = null } = facts;
  const detail = holdSentence(code, { ...facts, until: until?.toISOString() ?? null });
  return { code, detail, until, setting, reason };
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
    return holdBecause("not_verifiable", { kind, reason });
  }
  const listed = blocklist.get(release.id);
  if (listed) return blocklistHold(listed);
  const isAutomatic = kind === "rules" ? ota.auto_update_rules : ota.auto_update_binary;
  if (!isAutomatic) return holdBecause("not_automatic", { kind, setting: `/update/ota/auto_update_${kind}` });
  if (kind === "binary" && !isTrustEstablished) return holdBecause("trust_not_established");
  if (!isClockTrusted) return holdBecause("clock_not_trusted");
  if (release.due_at === null || now.getTime() >= Date.parse(release.due_at)) return null;
  return holdBecause("wave", { until: new Date(release.due_at) });
}

function blocklistHold({ why, reason, cause, until }: SetAsideRelease): HoldReason {
  return holdBecause(why, {
    reason: reasonOf(reason, cause),
    until: until === null ? null : new Date(until),
  });
}
