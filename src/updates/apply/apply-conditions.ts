import { updateKinds } from "../../contract/update-kinds.ts";
import { installedVersions, newestEntry, setAsideById } from "../../releases/journal-queries.ts";
import { noBlockers } from "../../releases/kind-blockers.ts";
import { reasonOf, reasonOfError } from "../../releases/outcome-reasons.ts";
import type { UpdateKind } from "../../releases/release.ts";
import { compareVersions } from "../../releases/semver.ts";
import type { StoredRelease } from "../../releases/update-record.ts";
import { settingsBlock } from "../check/settings-block.ts";
import { type HoldConditions, type HoldReason, holdBecause } from "../facts/hold-reason.ts";
import type { UpdateParts } from "../update-parts.ts";
import type { ApplySituation } from "./apply-decision.ts";
import { windowsAt } from "./windows.ts";

/**
 * Seconds after which the installer is started again for a release that it refused: a day, since few reasons pass
 * without help; a full disk does.
 */
export const refusedSeconds = 24 * 3_600;

type Parts = Pick<UpdateParts, "options" | "trust" | "watch">;

/** Why updates do not work at all; null: they do. */
export function blockedReason({ options, trust }: Pick<UpdateParts, "options" | "trust">): HoldReason | null {
  const { ota } = options.settings();
  const block = settingsBlock(options);
  if (block !== null) return block;
  const state = trust.state();
  if (state.kind === "unusable") return holdBecause("trust_unusable", { reason: reasonOfError(state.error) });
  return state.kind === "none" && ota.enabled ? holdBecause("trust_not_installed") : null;
}

/** What decides whether a release is fetched or applied now. */
export function holdConditions({ options, trust, watch }: Parts): HoldConditions {
  const now = options.now();
  return {
    blocked: blockedReason({ options, trust }),
    blockers: options.record.read().blockers ?? noBlockers,
    ota: options.settings().ota,
    isTrustEstablished: trust.isEstablished(),
    isClockTrusted: options.isClockTrusted(),
    blocklist: setAsideById(watch.journal(), now),
    now,
  };
}

/** The release that a check has found; it stays until it is installed, has failed here, or the channel is changed. */
export function availableRelease(
  { options, watch }: Pick<UpdateParts, "options" | "watch">,
  kind: UpdateKind,
): StoredRelease | null {
  const stored = options.record.read().available[kind];
  if (stored === null || stored.channel !== options.settings().ota.channel) return null;
  const installed = installedVersions(watch.journal(), options.installed())[kind];
  if (installed !== null && compareVersions(stored.version, installed) <= 0) return null;
  const listed = setAsideById(watch.journal(), options.now()).get(stored.id);
  return listed?.why === "failed" ? null : stored;
}

/** Releases whose payload is here, rules before a binary. */
export function stagedReleases(
  parts: Pick<UpdateParts, "options" | "watch" | "downloads">,
): readonly StoredRelease[] {
  const available = updateKinds.map((kind) => availableRelease(parts, kind));
  return available.filter(
    (release) => release !== null && parts.downloads.isStaged(release.id),
  ) as StoredRelease[];
}

/** What decides whether a release is applied without a request. */
export function applySituationOf(parts: Parts & Pick<UpdateParts, "applying">): ApplySituation {
  const { options, watch, applying } = parts;
  const conditions = holdConditions(parts);
  const { rules, binary } = options.record.read().postponed;
  const postponed = [rules, binary].flatMap((one) =>
    one === null ? [] : [[one.release_id, new Date(one.until)] as const],
  );
  return {
    conditions,
    unreadable: watch.unreadable(),
    isConfigured: (kind) => options.installer.isSetUp(kind),
    windows: windowsAt(options.settings().windows, conditions.now),
    postponed: new Map(postponed),
    refused: new Map([...applying.failures(), ...refusedRecently(watch.journal(), conditions.now)]),
    busy: applying.busy(),
  };
}

/** A refusal from the future was written by a clock that was wrong: how long ago it was is not known. */
function refusedRecently(
  journal: ReturnType<UpdateParts["watch"]["journal"]>,
  now: Date,
): readonly (readonly [string, HoldReason])[] {
  return updateKinds.flatMap((kind) => {
    const entry = newestEntry(journal, kind);
    if (entry?.outcome !== "refused" || entry.release_id === null) return [];
    const at = Date.parse(entry.at);
    const until = new Date(at + refusedSeconds * 1_000);
    if (at > now.getTime() || until <= now) return [];
    const reason = reasonOf(entry.detail, entry.cause);
    return [[entry.release_id, holdBecause("refused", { reason, until })] as const];
  });
}
