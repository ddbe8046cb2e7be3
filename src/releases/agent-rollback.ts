import { StewardError } from "../contract/errors.ts";
import { packagedInsteadOf } from "./journal-queries.ts";
import type { UpdateKind } from "./release.ts";
import type { GoodRelease, Slot } from "./release-journal.ts";
import { type Floors, floorOf, type InstalledVersions } from "./selection.ts";
import { compareVersions } from "./semver.ts";

/**
 * The release in force, which a rollback leaves. Throws `nothing_to_roll_back` where neither a release nor a package is
 * before it, and `below_floor` where its publisher no longer allows that one.
 */
export function requireRollback(
  kind: UpdateKind,
  { good }: Pick<Slot, "good">,
  { packaged, floors }: { readonly packaged: InstalledVersions; readonly floors: Floors },
): GoodRelease {
  const present = good.at(-1);
  const former = present && (good.at(-2) ?? packagedInsteadOf(present, packaged[kind]));
  if (!present || !former)
    throw new StewardError(
      "nothing_to_roll_back",
      `There is no earlier release of ${kind} on this device to go back to: none that proved healthy is still on it.`,
    );
  const { name, version } = former;
  const floor = floorOf(floors, { kind, name });
  if (floor === undefined || compareVersions(version, floor) >= 0) return present;
  throw new StewardError(
    "below_floor",
    `${name} ${version} is below ${floor}, the lowest version that its publisher still allows. Nothing was changed.`,
  );
}

/**
 * Seconds from a release's commit within which the agent may go back from it: three days, in which people see that a
 * release does not work as it should. Later only root may, so that a compromised agent cannot undo the update that
 * repaired its weakness.
 */
const agentRollbackSeconds = 72 * 3_600;

/** The present boot, as root's own process sees it. */
export interface BootTime {
  readonly bootId: string;
  /** Seconds of monotonic time since this boot. */
  readonly uptime: number;
}

/**
 * Throws `rollback_needs_root` if the agent may not go back from the present release of this kind. The agent can set
 * the wall clock, back as well as forward, and decides when the device has the right time. So only the monotonic time
 * of one boot counts, and if that is not known, only root may.
 */
export function requireAgentMayRollBack(
  kind: UpdateKind,
  present: GoodRelease,
  { agentRolledBack, boot }: Pick<Slot, "agentRolledBack"> & { boot: BootTime },
): void {
  const why = agentRolledBack?.includes(present.id)
    ? "the agent has gone back from it once already"
    : whyOnlyRoot(present, boot);
  if (why === null) return;
  throw new StewardError(
    "rollback_needs_root",
    `Only root can go back from ${present.name} ${present.version}: ${why}. The agent may do it once a release, within 72 hours after it proved healthy and before the next boot. As root on the device, type: steward update rollback ${kind} --as-root. Nothing was changed.`,
  );
}

function whyOnlyRoot({ committed }: GoodRelease, boot: BootTime): string | null {
  if (committed === undefined || committed.boot_id === "unknown")
    return "it is not recorded when it proved healthy";
  if (committed.boot_id !== boot.bootId)
    return "the device was started again since it proved healthy, so how long ago that was is not known";
  const seconds = boot.uptime - committed.uptime;
  if (seconds >= 0 && seconds <= agentRollbackSeconds) return null;
  return "it proved healthy more than 72 hours ago";
}
