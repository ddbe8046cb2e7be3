import { join } from "node:path";
import type { UpdateKind } from "../../releases/release.ts";

/** The directories of the installer. Both belong to root; the agent can read the first and not the second. */
export const usualDirectories = {
  /** /var/lib/steward-releases, 0755. */
  releases: "/var/lib/steward-releases",
  /** /var/lib/steward-trust, 0700: metadata, versions, floors, and the copies that are verified. */
  trust: "/var/lib/steward-trust",
};

export type ReleaseDirectories = Readonly<typeof usualDirectories>;

export function pathsOf({ releases, trust }: ReleaseDirectories) {
  return {
    journal: join(releases, "journal.json"),
    /** Exists during a trial: the condition by which the unit of the guard starts at boot. */
    underWay: join(releases, "under-way"),
    /** Root's order for the trial: `confirm` or `abort`. */
    order: (kind: UpdateKind) => join(releases, kind, "order"),
    trees: join(releases, "releases"),
    tree: (id: string) => join(releases, "releases", id),
    /** A tree that is being unpacked; no link leads to it. */
    draft: (id: string) => join(releases, "releases", `.${id}`),
    /** `{id, kind, name, version}`, beside the tree. */
    label: (id: string) => join(releases, "releases", `${id}.json`),
    slot: (kind: UpdateKind) => join(releases, kind),
    current: (kind: UpdateKind) => join(releases, kind, "current"),
    previous: (kind: UpdateKind) => join(releases, kind, "previous"),
    /** The target of `current` and `previous`, relative to them. */
    linkTo: (id: string) => join("..", "releases", id),
    metadata: join(trust, "metadata"),
    /** Copies that are being verified. */
    copies: join(trust, "intake"),
  };
}
