import { updateKinds } from "../../contract/update-kinds.ts";
import { installedVersions, newestEntry, setAsideById } from "../../releases/journal-queries.ts";
import { noBlockers } from "../../releases/kind-blockers.ts";
import type { UpdateKind } from "../../releases/release.ts";
import { compareVersions } from "../../releases/semver.ts";
import { settingsBlock } from "../check/settings-block.ts";
import type { UpdateParts } from "../update-parts.ts";
import type { StoredRelease } from "../update-record.ts";
import type { ApplySituation, Refusal } from "./apply-decision.ts";
import type { Circumstances } from "./hold-reason.ts";
import { windowsAt } from "./windows.ts";

/**
 * Seconds after which root's side is asked again for what it did not take: a day, since most reasons do not pass by
 * themselves, and a full disk does.
 */
export const refusedSeconds = 24 * 3_600;

type Ground = Pick<UpdateParts, "options" | "trust" | "watch">;

/** Why nothing works at all; null: it does. */
export function blockedReason({ options, trust }: Pick<UpdateParts, "options" | "trust">): string | null {
  const { ota } = options.settings();
  const block = settingsBlock(options);
  if (block !== null) return block.words;
  const standing = trust.standing();
  if (standing.kind === "unusable") return standing.error.message;
  const isMissed = standing.kind === "none" && ota.enabled;
  return isMissed ? trust.view().detail : null;
}

/** What stands in the way of fetching or applying a release now. */
export function circumstancesOf({ options, trust, watch }: Ground): Circumstances {
  const now = options.now();
  return {
    blocked: blockedReason({ options, trust }),
    blockers: options.record.read().blockers ?? noBlockers,
    ota: options.settings().ota,
    isTrustEstablished: trust.isEstablished(),
    isClockTrusted: options.isClockTrusted(),
    setAside: setAsideById(watch.journal(), now),
    now,
  };
}

/** What was found stays over restarts, until it is installed, it has failed here, or the channel is another one. */
export function availableRelease(
  { options, watch }: Pick<UpdateParts, "options" | "watch">,
  kind: UpdateKind,
): StoredRelease | null {
  const stored = options.record.read().available[kind];
  if (stored === null || stored.channel !== options.settings().ota.channel) return null;
  const installed = installedVersions(watch.journal(), options.installed())[kind];
  if (installed !== null && compareVersions(stored.version, installed) <= 0) return null;
  const aside = setAsideById(watch.journal(), options.now()).get(stored.id);
  return aside?.why === "failed" ? null : stored;
}

/** What could be applied now, rules before a binary. */
export function stagedReleases(
  parts: Pick<UpdateParts, "options" | "watch" | "downloads">,
): readonly StoredRelease[] {
  const available = updateKinds.map((kind) => availableRelease(parts, kind));
  return available.filter(
    (release) => release !== null && parts.downloads.isStaged(release.id),
  ) as StoredRelease[];
}

/** What decides whether something is applied unasked. */
export function applySituationOf(parts: Ground & Pick<UpdateParts, "applying">): ApplySituation {
  const { options, watch, applying } = parts;
  const circumstances = circumstancesOf(parts);
  const { rules, binary } = options.record.read().postponed;
  const postponed = [rules, binary].flatMap((one) =>
    one === null ? [] : [[one.release_id, new Date(one.until)] as const],
  );
  return {
    circumstances,
    unreadable: watch.unreadable(),
    isSetUp: (kind) => options.installer.isSetUp(kind),
    windows: windowsAt(options.settings().windows, circumstances.now),
    postponed: new Map(postponed),
    refused: new Map([...applying.failures(), ...refusedLately(watch.journal(), circumstances.now)]),
    busy: applying.busy(),
  };
}

/** Not of a time that is still to come: it was written by a clock that was wrong, and says nothing of how long ago it was. */
function refusedLately(
  journal: ReturnType<UpdateParts["watch"]["journal"]>,
  now: Date,
): readonly (readonly [string, Refusal])[] {
  return updateKinds.flatMap((kind) => {
    const entry = newestEntry(journal, kind);
    if (entry?.outcome !== "refused" || entry.release_id === null) return [];
    const at = Date.parse(entry.at);
    const until = new Date(at + refusedSeconds * 1_000);
    if (at > now.getTime() || until <= now) return [];
    const detail = entry.detail.replace(/\.$/, "");
    const text = `it was not taken (${detail}), and is tried again by itself at ${until.toISOString()}`;
    return [[entry.release_id, { text, until }] as const];
  });
}
