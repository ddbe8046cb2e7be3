import { StewardError } from "../../contract/errors.ts";
import { type RoleName, roleNames } from "../roles.ts";
import { readState } from "../state.ts";
import { type Workspace, writeConfig } from "../workspace.ts";
import { idOf, keysIn } from "./role-keys.ts";

/** A key of a role, and who holds it. */
export interface HeldKey {
  readonly role: RoleName;
  readonly key_id: string;
  /** null: nothing was said. */
  readonly owner: string | null;
  /** Its file, if it is at hand; null: it is elsewhere. */
  readonly file: string | null;
  readonly threshold: number;
  /** It counts in the published metadata, or from the next publish on. */
  readonly state: "published" | "drafted" | "replaced";
}

/** The keys of each role, those that a draft removes included. `files`: by key id. */
export async function heldKeys(
  workspace: Workspace,
  files: ReadonlyMap<string, string>,
): Promise<readonly HeldKey[]> {
  const { published, next } = await readState(workspace);
  return roleNames.flatMap((role) => {
    const [before, after] = [keysIn(published, role), keysIn(next, role)];
    return [...new Set([...before.keyids, ...after.keyids])].map((key_id): HeldKey => {
      const isNew = !before.keyids.includes(key_id);
      const isGone = !after.keyids.includes(key_id);
      return {
        role,
        key_id,
        owner: workspace.owners[key_id] ?? null,
        file: files.get(key_id) ?? null,
        threshold: after.threshold,
        state: isGone ? "replaced" : isNew ? "drafted" : "published",
      };
    });
  });
}

/** Characters of a name. */
const longestOwner = 100;

/**
 * Notes who holds a key, by the beginning of its id; an empty name takes that back. It is kept in repository.json, and is
 * no part of the metadata: it decides nothing. Throws `not_found`, `validation_failed`.
 */
export async function nameOwners(
  workspace: Workspace,
  given: readonly { readonly keyId: string; readonly owner: string }[],
): Promise<Workspace> {
  const known = [...new Set((await heldKeys(workspace, new Map())).map(({ key_id }) => key_id))];
  const owners = new Map(Object.entries(workspace.owners));
  for (const { keyId, owner } of given) {
    if (owner.length > longestOwner || /[\p{Cc}\p{Bidi_Control}\p{Surrogate}\u2028\u2029]/u.test(owner))
      throw new StewardError(
        "validation_failed",
        `An owner is a name of at most ${longestOwner} characters in one line. Nothing was changed.`,
      );
    const id = idOf(keyId, "this repository", known);
    if (owner === "") owners.delete(id);
    else owners.set(id, owner);
  }
  // Keys that are gone take their owners along.
  const named = Object.fromEntries([...owners].filter(([id]) => known.includes(id)));
  const after = { ...workspace, owners: named };
  await writeConfig(after);
  return after;
}
