import type { State } from "../drafts/drafts.ts";
import { type Held, holderOf, type RoleName, roleIn, roleNames } from "../roles.ts";

/** The keys of a role after a change. */
export interface KeysOfRole {
  readonly role: RoleName;
  /** Whose signatures count once the draft is published. */
  readonly keyids: readonly string[];
  readonly threshold: number;
  /** Those of them that do not count yet in the published metadata. */
  readonly added: readonly string[];
  /** Whose signatures count until then, and no more afterwards. */
  readonly removed: readonly string[];
  /** Roles for which one of `removed` still counts. */
  readonly still_in: readonly RoleName[];
}

/** What a change of keys comes to; `before` is the state that it began with. */
export function keysOfRoles(roles: readonly RoleName[], before: State, after: State): KeysOfRole[] {
  return roles.map((role) => {
    const { keyids, threshold } = keysIn(after.next, role);
    const published = keysIn(before.published, role).keyids;
    const added = keyids.filter((id) => !published.includes(id));
    const known = [...published, ...keysIn(before.next, role).keyids];
    const removed = [...new Set(known)].filter((id) => !keyids.includes(id));
    const still_in = roleNames.filter((name) =>
      keysIn(after.next, name).keyids.some((id) => removed.includes(id)),
    );
    return { role, keyids, threshold, added, removed, still_in };
  });
}

/** Whose signatures count for a role. */
export function keysIn(held: Held, role: RoleName): { keyids: readonly string[]; threshold: number } {
  const signed = held[holderOf(role)]?.signed;
  return (signed && roleIn(signed, role)) ?? { keyids: [], threshold: 0 };
}
