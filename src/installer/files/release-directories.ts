import { join } from "node:path";
import type { UpdateKind } from "../../releases/release.ts";

/** Where root's side of an update has what. All of it is root's; the agent reads the first alone. */
export interface ReleaseDirectories {
  /** /var/lib/steward-releases, 0755. */
  readonly releases: string;
  /** /var/lib/steward-trust, 0700: metadata, versions, floors, and the copies that are verified. */
  readonly trust: string;
}

export const usualDirectories: ReleaseDirectories = {
  releases: "/var/lib/steward-releases",
  trust: "/var/lib/steward-trust",
};

/** The paths below them. */
export function pathsOf({ releases, trust }: ReleaseDirectories) {
  return {
    journal: join(releases, "journal.json"),
    /** Is there as long as something is on trial: what the guard's unit is started by at boot. */
    underWay: join(releases, "under-way"),
    /** What root has ordered the trial: `confirm` or `abort`. */
    order: (kind: UpdateKind) => join(releases, kind, "order"),
    trees: join(releases, "releases"),
    tree: (id: string) => join(releases, "releases", id),
    /** Being unpacked; nothing leads to it. */
    draft: (id: string) => join(releases, "releases", `.${id}`),
    /** What the release is, beside its tree: `{id, kind, name, version}`. */
    label: (id: string) => join(releases, "releases", `${id}.json`),
    slot: (kind: UpdateKind) => join(releases, kind),
    current: (kind: UpdateKind) => join(releases, kind, "current"),
    previous: (kind: UpdateKind) => join(releases, kind, "previous"),
    /** Where `current` and `previous` lead to, from where they stand. */
    linkTo: (id: string) => join("..", "releases", id),
    metadata: join(trust, "metadata"),
    intake: join(trust, "intake"),
  };
}
