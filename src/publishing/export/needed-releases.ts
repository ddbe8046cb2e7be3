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
    .filter((one) => !paths.has(one.path) && isOnOffer(one.entry) && isFor(device, one));
}

function isFor({ product, arch, channel }: DeviceKind, { entry }: PlannedRelease): boolean {
  return (
    (product === undefined || product === entry.product) &&
    (channel === undefined || channel === entry.channel) &&
    (arch === undefined || arch === "any" || entry.arch === "any" || arch === entry.arch)
  );
}
