import { StewardError } from "../contract/errors.ts";
import { compareVersions } from "../releases/semver.ts";
import type { TargetFile } from "../tuf/metadata.ts";
import type { State } from "./drafts/drafts.ts";
import { type ReleaseEntry, readEntry } from "./release-entry.ts";
import { type Held, releaseRoles } from "./roles.ts";
import type { Workspace } from "./workspace.ts";

/** Additions that are mistakes more often than not. */
export const likelyMistakes = ["new-product", "older", "same-bytes", "lower-floor"] as const;
export type LikelyMistake = (typeof likelyMistakes)[number];

/** A release that is about to be drafted. */
export interface Candidate {
  readonly path: string;
  readonly sha512: string;
  readonly entry: ReleaseEntry;
}

interface Present {
  readonly path: string;
  readonly file: TargetFile;
  readonly entry: ReleaseEntry;
}

/**
 * Throws `repository_conflict` for a release that devices would take, or pass over, in silence and other than its
 * publisher expects, unless `allowed` names that. A release that is there already with these bytes may be changed, but for
 * its floor.
 */
export function requireIntended(
  workspace: Workspace,
  { published, next }: State,
  { candidate, allowed }: { candidate: Candidate; allowed: readonly LikelyMistake[] },
): void {
  const present = releaseRoles.flatMap((role) =>
    Object.entries(next[role]?.signed.targets ?? {}).flatMap(([path, file]): Present[] => {
      const entry = readEntry(file.custom);
      return entry === undefined ? [] : [{ path, file, entry }];
    }),
  );
  const known = present.find(({ path }) => path === candidate.path);
  const isKnown = known !== undefined && known.file.hashes.sha512 === candidate.sha512;
  const findings: Readonly<Record<LikelyMistake, string | null>> = {
    "new-product": unknownProduct(workspace, candidate, present),
    older: isKnown ? null : olderThan(candidate, present),
    "same-bytes": isKnown ? null : sameBytesAs(candidate, present),
    "lower-floor": lowerFloor(candidate, published),
  };
  for (const mistake of likelyMistakes) {
    const finding = findings[mistake];
    if (finding === null || allowed.includes(mistake)) continue;
    throw new StewardError(
      "repository_conflict",
      `${finding} If it is meant so, add --allow ${mistake}. Nothing was changed.`,
    );
  }
}

/** `init` without --product: the publisher has not said yet whom releases are for. */
const unsaidProduct = "steward";

/** `--product demmo`: no device would ever take it. */
function unknownProduct(
  { product: own }: Workspace,
  { entry: { product } }: Candidate,
  present: readonly Present[],
): string | null {
  const known = [...new Set([own, ...present.map(({ entry }) => entry.product)])];
  if (known.includes(product) || (present.length === 0 && own === unsaidProduct)) return null;
  return `No release for the product ${product} was ever added to this repository, which has releases for ${known.join(", ")}.`;
}

/** 0.9.0 behind 1.0.0: devices that have the newer one pass it over. */
function olderThan({ entry }: Candidate, present: readonly Present[]): string | null {
  const rivals = present.filter(({ entry: other }) => isForSameDevices(entry, other));
  const newer = rivals
    .filter(({ entry: other }) => compareVersions(other.version, entry.version) > 0)
    .sort((one, other) => compareVersions(other.entry.version, one.entry.version))[0];
  if (newer === undefined) return null;
  return `${entry.version} is older than ${newer.path}: devices that have that one would pass it over.`;
}

/** What was withdrawn holds nothing up: the release that takes its place may well be an older one. */
function isForSameDevices(entry: ReleaseEntry, other: ReleaseEntry): boolean {
  const arches = [entry.arch, other.arch];
  return (
    other.withdrawn === undefined &&
    other.kind === entry.kind &&
    other.name === entry.name &&
    other.channel === entry.channel &&
    other.product === entry.product &&
    (entry.arch === other.arch || arches.includes("any"))
  );
}

/** A forgotten build. Devices know a release by its bytes: one that failed or was withdrawn would fail again. */
function sameBytesAs({ sha512, entry }: Candidate, present: readonly Present[]): string | null {
  const twin = present.find(
    ({ file, entry: other }) =>
      other.kind === entry.kind && other.version !== entry.version && file.hashes.sha512 === sha512,
  );
  if (twin === undefined) return null;
  return `The file has the very bytes of ${twin.path}, and would be ${entry.version}: devices know a release by its bytes.`;
}

/** Added once more to change its notes, without the --floor or --security that it had. */
function lowerFloor({ path, entry: { kind, floor } }: Candidate, published: Held): string | null {
  const old = readEntry(published[kind]?.signed.targets[path]?.custom)?.floor;
  if (old === undefined || (floor !== undefined && compareVersions(floor, old) >= 0)) return null;
  return `${path} has the floor ${old}, and would have ${floor ?? "none"}: new devices could then be led below it.`;
}
