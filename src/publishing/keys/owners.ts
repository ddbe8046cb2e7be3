import { StewardError } from "../../contract/errors.ts";
import { roleNames } from "../roles.ts";
import { readState } from "../state.ts";
import { type Workspace, writeConfig } from "../workspace.ts";
import { idOf, keysIn } from "./role-keys.ts";

/** A key of a role, and who holds it. */
export type HeldKey = Awaited<ReturnType<typeof heldKeys>>[number];

/** The keys of each role, those that a draft removes included. `files`: by key id. */
export async function heldKeys(workspace: Workspace, files: ReadonlyMap<string, string>) {
  const { published, next } = await readState(workspace);
  return roleNames.flatMap((role) => {
    const [before, after] = [keysIn(published, role), keysIn(next, role)];
    return [...new Set([...before.keyids, ...after.keyids])].map((key_id) => {
      const isNew = !before.keyids.includes(key_id);
      const isGone = !after.keyids.includes(key_id);
      return {
        role,
        key_id,
        /** null: nothing was said. */
        owner: workspace.owners[key_id] ?? null,
        /** Its file, if it is at hand; null: it is elsewhere. */
        file: files.get(key_id) ?? null,
        threshold: after.threshold,
        /** It counts in the published metadata, or from the next publish on. */
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
