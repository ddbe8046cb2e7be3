import { updateKinds } from "../../contract/update-kinds.ts";
import { installedVersions, setAsideById } from "../../releases/journal-queries.ts";
import { noBlockers } from "../../releases/kind-blockers.ts";
import { reasonOfError } from "../../releases/outcome-reasons.ts";
import type { UpdateKind } from "../../releases/release.ts";
import { compareVersions } from "../../releases/semver.ts";
import type { StoredRelease } from "../../releases/update-record.ts";
import type { Downloads } from "../download/downloads.ts";
import { type BlockReason, type HoldConditions, holdBecause, holdReasonOf } from "../facts/hold-reason.ts";
import type { Progress } from "../facts/progress.ts";
import type { ReleaseWatch } from "../facts/release-watch.ts";
import type { UpdaterOptions } from "../facts/updater-options.ts";
import type { Trust } from "../trust/trust.ts";
import { settingsBlock } from "./settings-block.ts";

/** The parts of the room that a check reads and writes. */
export interface CheckParts {
  readonly options: UpdaterOptions;
  readonly trust: Trust;
  readonly downloads: Downloads;
  readonly progress: Progress;
  readonly watch: ReleaseWatch;
}

/** The reason that blocks all updates; null: none does. */
export function blockedReason({ options, trust }: Pick<CheckParts, "options" | "trust">): BlockReason | null {
  const { ota } = options.settings();
  const block = settingsBlock(options);
  if (block !== null) return block;
  const state = trust.state();
  if (state.kind === "unusable") return holdBecause("trust_unusable", { reason: reasonOfError(state.error) });
  return state.kind === "none" && ota.enabled ? holdBecause("trust_not_installed") : null;
}

/** The facts that decide whether a release is fetched or applied now. */
export function holdConditions({
  options,
  trust,
  watch,
}: Pick<CheckParts, "options" | "trust" | "watch">): HoldConditions {
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
  { options, watch }: Pick<CheckParts, "options" | "watch">,
  kind: UpdateKind,
): StoredRelease | null {
  const stored = options.record.read().available[kind];
  if (stored === null || stored.channel !== options.settings().ota.channel) return null;
  const installed = installedVersions(watch.journal(), options.installed())[kind];
  if (installed !== null && compareVersions(stored.version, installed) <= 0) return null;
  const listed = setAsideById(watch.journal(), options.now()).get(stored.id);
  return listed?.why === "failed" ? null : stored;
}

/**
 * True where something can go on now that the clock is trusted: a check, or the download of what it found. A download that
 * failed has not waited for the clock; its retry goes by the schedule, and by what the server asked for.
 */
export function hasWaitedForClock(
  parts: Pick<CheckParts, "options" | "trust" | "downloads" | "watch">,
): boolean {
  const { record, isClockTrusted } = parts.options;
  if (!isClockTrusted() || settingsBlock(parts.options) !== null) return false;
  const { last_check, blockers, download_failures } = record.read();
  if (last_check?.outcome === "waiting_for_clock") return true;
  if ([blockers?.rules, blockers?.binary].some((one) => one?.code === "clock_not_synchronised")) return true;
  if (download_failures > 0) return false;
  const conditions = holdConditions(parts);
  const { downloads } = parts;
  return updateKinds.some((kind) => {
    const release = availableRelease(parts, kind);
    if (release === null || downloads.isStaged(release.id) || downloads.failureOf(release.id)) return false;
    return holdReasonOf(release, conditions) === null;
  });
}
