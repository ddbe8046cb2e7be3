import { StewardError } from "../../contract/errors.ts";
import { holderOf, type RoleFiles, type RoleName, roleIn, roleNames } from "../roles.ts";
import type { State } from "../state.ts";

/** The effect of a change of keys; `before` is the state before it. */
export function keysOfRoles(roles: readonly RoleName[], before: State, after: State) {
  return roles.map((role) => {
    // The keys that count after the draft is published.
    const { keyids, threshold } = keysIn(after.next, role);
    const published = keysIn(before.published, role).keyids;
    // Those of them that do not count in the published metadata yet.
    const added = keyids.filter((id) => !published.includes(id));
    const known = [...published, ...keysIn(before.next, role).keyids];
    // The keys that count until then, and not afterwards.
    const removed = [...new Set(known)].filter((id) => !keyids.includes(id));
    // Roles for which one of `removed` still counts.
    const still_in = roleNames.filter((name) =>
      keysIn(after.next, name).keyids.some((id) => removed.includes(id)),
    );
    return { role, keyids, threshold, added, removed, still_in };
  });
}

/** The keys that count for a role. */
export function keysIn(held: RoleFiles, role: RoleName): { keyids: readonly string[]; threshold: number } {
  const signed = held[holderOf(role)]?.signed;
  return (signed && roleIn(signed, role)) ?? { keyids: [], threshold: 0 };
}

/** The id that begins so; at least 8 digits, so that it does not match by chance. Throws `not_found`. */
export function idOf(start: string, name: string, keyids: readonly string[]): string {
  const [found, ...others] = /^[0-9a-f]{8,64}$/.test(start)
    ? keyids.filter((id) => id.startsWith(start))
    : [];
  if (found !== undefined && others.length === 0) return found;
  throw new StewardError(
    "not_found",
    `"${start}" is not the id of one key of ${name}, nor the first 8 or more digits of one. Its keys are: ${keyids.map((id) => id.slice(0, 16)).join(", ")}.`,
  );
}
