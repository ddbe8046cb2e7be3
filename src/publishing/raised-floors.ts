import { compareVersions } from "../releases/semver.ts";
import type { State } from "./drafts/drafts.ts";
import { type ReleaseEntry, readEntry } from "./release-entry.ts";
import { type Held, type ReleaseRole, releaseRoles } from "./roles.ts";

/** A version below which devices take nothing of that name any more. */
export interface RaisedFloor {
  readonly kind: ReleaseRole;
  readonly name: string;
  readonly product: string;
  readonly channel: string;
  readonly floor: string;
}

/** The floors that are higher with the drafts than they were published before. */
export function raisedFloors({ published, next }: State): RaisedFloor[] {
  const before = floorsIn(published);
  return [...floorsIn(next)].flatMap(([key, raised]) => {
    const present = before.get(key);
    return present === undefined || compareVersions(raised.floor, present.floor) > 0 ? [raised] : [];
  });
}

/** Of what was withdrawn devices take no floor. */
function floorsIn(held: Held): Map<string, RaisedFloor> {
  const floors = new Map<string, RaisedFloor>();
  for (const role of releaseRoles) {
    for (const { custom } of Object.values(held[role]?.signed.targets ?? {})) {
      const entry: ReleaseEntry | undefined = readEntry(custom);
      if (entry?.floor === undefined || entry.withdrawn !== undefined) continue;
      const { kind, name, product, channel, floor } = entry;
      const key = [kind, name, product, channel].join(" ");
      const present = floors.get(key);
      if (present === undefined || compareVersions(floor, present.floor) > 0)
        floors.set(key, { kind, name, product, channel, floor });
    }
  }
  return floors;
}
