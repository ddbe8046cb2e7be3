import { StewardError } from "../contract/errors.ts";
import { compareVersions } from "../releases/semver.ts";
import { type ReleaseEntry, type ReleaseTarget, readEntry, releasesIn } from "./release-entry.ts";
import { type RoleFiles, releaseRoles } from "./roles.ts";
import type { State } from "./state.ts";
import { unsaidProduct, type Workspace } from "./workspace.ts";

/** Additions that are usually mistakes. */
export const likelyMistakes = ["new-product", "older", "same-bytes", "lower-floor"] as const;
export type LikelyMistake = (typeof likelyMistakes)[number];

/** A release before it is drafted. */
export interface Candidate {
  readonly path: string;
  readonly sha512: string;
  readonly entry: ReleaseEntry;
}

/**
 * Throws `repository_conflict` for a release that devices would silently install or skip against the expectation of its
 * publisher, unless `allowed` names the finding. Of an existing release with the same bytes everything may be changed but
 * its floor.
 */
export function requireIntended(
  workspace: Workspace,
  { published, next }: State,
  { candidate, allowed }: { candidate: Candidate; allowed: readonly LikelyMistake[] },
): void {
  const present = releaseRoles.flatMap((role) => releasesIn(next[role]?.signed.targets));
  const known = present.find(({ path }) => path === candidate.path);
  const isKnown = known !== undefined && known.file.hashes.sha512 === candidate.sha512;
  const findings: Readonly<Record<LikelyMistake, string | null>> = {
    "new-product": unknownProduct(workspace, candidate, present),
    older: isKnown ? null : olderThan(candidate, present, published),
    "same-bytes": isKnown ? null : sameBytesAs(candidate, present),
    "lower-floor": lowerFloor(candidate, published),
  };
  for (const mistake of likelyMistakes) {
    const finding = findings[mistake];
    if (finding === null || allowed.includes(mistake)) continue;
    throw new StewardError(
      "repository_conflict",
      `${finding} If this is intended, add --allow ${mistake}. Nothing was changed.`,
    );
  }
}

/** `--product demmo`: no device would ever install it. */
function unknownProduct(
  { product: own }: Workspace,
  { entry: { product } }: Candidate,
  present: readonly ReleaseTarget[],
): string | null {
  const known = [...new Set([own, ...present.map(({ entry }) => entry.product)])];
  if (known.includes(product) || (present.length === 0 && own === unsaidProduct)) return null;
  return `This repository has no releases for the product ${product} yet, only for ${known.join(", ")}.`;
}

/** 0.9.0 after 1.0.0: devices that have the newer one skip it, also if it was withdrawn since. */
function olderThan(
  { entry }: Candidate,
  present: readonly ReleaseTarget[],
  published: RoleFiles,
): string | null {
  const newer = present
    .filter(({ entry: other }) => isForSameDevices(entry, other))
    // No device has a release that was withdrawn before it was published.
    .filter(({ path, entry: { withdrawn } }) => !withdrawn || published[entry.kind]?.signed.targets[path])
    .filter(({ entry: other }) => compareVersions(other.version, entry.version) > 0)
    .sort((one, other) => compareVersions(other.entry.version, one.entry.version))[0];
  if (newer === undefined) return null;
  const { version, withdrawn } = newer.entry;
  return withdrawn === undefined
    ? `${entry.version} is older than ${newer.path}: devices that have that one would skip it.`
    : `${entry.version} is older than ${newer.path}, which is withdrawn: devices that have that one keep it, and take no lower version. Give the release that replaces it a version above ${version}.`;
}

function isForSameDevices(entry: ReleaseEntry, other: ReleaseEntry): boolean {
  const arches = [entry.arch, other.arch];
  return (
    other.kind === entry.kind &&
    other.name === entry.name &&
    other.channel === entry.channel &&
    other.product === entry.product &&
    (entry.arch === other.arch || arches.includes("any"))
  );
}

/** A forgotten build. Devices identify a release by its bytes: one that failed or was withdrawn would do so again. */
function sameBytesAs({ sha512, entry }: Candidate, present: readonly ReleaseTarget[]): string | null {
  const twin = present.find(
    ({ file, entry: other }) =>
      other.kind === entry.kind && other.version !== entry.version && file.hashes.sha512 === sha512,
  );
  if (twin === undefined) return null;
  return `The file has the same bytes as ${twin.path}, and would be ${entry.version}: devices identify a release by its bytes.`;
}

/** Added again to change its notes, without its earlier --floor or --security. */
function lowerFloor({ path, entry: { kind, floor } }: Candidate, published: RoleFiles): string | null {
  const old = readEntry(published[kind]?.signed.targets[path]?.custom)?.floor;
  if (old === undefined || (floor !== undefined && compareVersions(floor, old) >= 0)) return null;
  return `${path} has the floor ${old}, and would have ${floor ?? "none"}: new devices could then be taken below it.`;
}
