import { isOnOffer, type PlannedRelease, planPrune, releasesOf } from "../prune/prune-plan.ts";
import type { Architecture } from "../release-entry.ts";
import { releaseRoles } from "../roles.ts";
import type { State } from "../state.ts";

/** The devices that an archive is for. undefined: any. */
export interface DeviceKind {
  readonly product?: string | undefined;
  readonly arch?: Architecture | undefined;
  readonly channel?: string | undefined;
}

/**
 * The releases that such a device may choose, whatever it has now: the newest of each line, newer ones that are still in
 * waves, and the newest for agents that are too old for it.
 */
export function neededReleases(
  state: State,
  device: DeviceKind,
  nowSeconds: number,
): readonly PlannedRelease[] {
  const plan = planPrune(state, { kinds: releaseRoles, keep: 1, keepVersions: [] }, nowSeconds);
  // One that is spared for its floor need not be there: the floor is in the metadata.
  const unneeded = [...plan.dropped, ...plan.spared.filter(({ why }) => why === "floor")];
  const paths = new Set(unneeded.map(({ path }) => path));
  return releaseRoles
    .flatMap((kind) => releasesOf(state, kind))
    .filter((one) => !paths.has(one.path) && isOnOffer(one.entry) && isFor(device, one.entry));
}

/** True if some of these devices take a release by what it says of itself. */
export function isFor(
  { product, arch, channel }: DeviceKind,
  release: Readonly<Record<"product" | "arch" | "channel", string>>,
): boolean {
  return (
    (product === undefined || product === release.product) &&
    (channel === undefined || channel === release.channel) &&
    (arch === undefined || arch === "any" || release.arch === "any" || arch === release.arch)
  );
}
