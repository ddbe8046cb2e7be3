import { StewardError } from "../contract/errors.ts";
import { addPrivateKey, makePrivateKey, type PrivateKey } from "./keys/private-keys.ts";
import type { NamedKey } from "./keys/public-keys.ts";
import { keysIn } from "./keys/role-keys.ts";
import { type KeyChanges, requireChangeable } from "./renew.ts";
import { type DraftedRole, holderOf, type RoleName, roleNames } from "./roles.ts";
import { readState } from "./state.ts";
import type { Workspace } from "./workspace.ts";

export interface NewKeys {
  /** Roles that get a key that is made here, one for each mention. */
  readonly roles: readonly RoleName[];
  /** Public keys whose private halves are elsewhere. */
  readonly given?: Readonly<Partial<Record<RoleName, readonly NamedKey[]>>>;
  /** The existing keys stay valid. Otherwise the new key replaces the present one. */
  readonly keepsOld: boolean;
  /** Further changes. */
  readonly changes: KeyChanges;
}

/**
 * Makes new keys in the directory of keys, where they are not given, and returns the changes that add them to the metadata of `role`. Makes no key if
 * the changes are not possible. Throws `validation_failed`, also if a role has several keys and neither `changes` nor
 * `keepsOld` tells which one is replaced; `not_found`.
 */
export async function makeNewKeys(
  workspace: Workspace,
  role: DraftedRole,
  { roles, given = {}, keepsOld, changes }: NewKeys,
): Promise<{ changes: KeyChanges; made: readonly PrivateKey[] }> {
  const state = await readState(workspace);
  const fresh = roles.map((name) => ({ name, ...makePrivateKey() }));
  const add: Partial<Record<RoleName, readonly NamedKey[]>> = { ...changes.add };
  const remove: Partial<Record<RoleName, readonly string[]>> = { ...changes.remove };
  for (const name of roleNames.filter((one) => roles.includes(one) || given[one] !== undefined)) {
    const { keyids } = keysIn(state.next, name);
    const mine = [...fresh.filter((one) => one.name === name), ...(given[name] ?? [])];
    requireNew(mine, name, keyids);
    add[name] = [...(add[name] ?? []), ...mine.map(({ id, key }) => ({ id, key }))];
    if (keepsOld || changes.remove[name]) continue;
    remove[name] = replaced(workspace, name, keyids, mine.length);
  }
  const whole = { ...changes, add, remove };
  await requireChangeable(workspace, state, { role, changes: whole });
  const made: PrivateKey[] = [];
  for (const { name, ...key } of fresh) made.push(await addPrivateKey(workspace.keys, name, key));
  return { changes: whole, made };
}

function requireNew(keys: readonly NamedKey[], role: RoleName, keyids: readonly string[]): void {
  const known = keys.find(({ id }) => keyids.includes(id));
  if (known === undefined) return;
  throw new StewardError(
    "validation_failed",
    `The key ${known.id.slice(0, 16)} is a key of ${role} already, so it replaces nothing. Give the public half of a new key. Nothing was changed.`,
  );
}

function replaced(
  { directory }: Workspace,
  role: RoleName,
  keyids: readonly string[],
  count: number,
): readonly string[] {
  if (keyids.length <= count) return keyids;
  const choices = keyids.map((id) => `--remove-key ${role}=${id.slice(0, 16)}`);
  throw new StewardError(
    "validation_failed",
    `${role} has ${keyids.length} keys. Tell which one the new key replaces, ${choices.join(" or ")}, or keep them all with --keep-old: steward-publisher renew ${directory} ${holderOf(role)} --new-key ${role} ${choices[0]}. Nothing was changed.`,
  );
}
