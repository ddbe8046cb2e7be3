import { StewardError } from "../contract/errors.ts";
import type { Key, Metadata, Role, Root, Targets } from "../tuf/metadata.ts";
import { requireApart } from "./init/init.ts";
import type { SigningKey } from "./keys/private-keys.ts";
import type { NamedKey } from "./keys/public-keys.ts";
import { idOf, keysOfRoles } from "./keys/role-keys.ts";
import { lacking, signWith } from "./keys/signing.ts";
import {
  authoritiesOf,
  type DraftedRole,
  delegatedSigners,
  draftedRoles,
  holderOf,
  type RoleName,
  roleIn,
  roleNames,
  type TypeOfRole,
} from "./roles.ts";
import { draftOf, readState, type State, withDraft, writeDraft } from "./state.ts";
import type { Workspace } from "./workspace.ts";

/** Changes of keys, by the role that they belong to. */
export interface KeyChanges {
  readonly add: Readonly<Partial<Record<RoleName, readonly NamedKey[]>>>;
  /** Key ids, or the beginnings of them. */
  readonly remove: Readonly<Partial<Record<RoleName, readonly string[]>>>;
  readonly thresholds: Readonly<Partial<Record<RoleName, number>>>;
}

export type RenewResult = Awaited<ReturnType<typeof renewRole>>[number];

/**
 * Drafts the next version of a role with a new expiry date and the changed keys, and signs it with those of `keys` that
 * count for it; for a root these include the old root's keys (TUF §6.1). Roles whose signatures are no longer sufficient
 * are drafted with it. Throws `validation_failed`, `not_found` for a missing key.
 */
export async function renewRole(
  workspace: Workspace,
  role: DraftedRole,
  { keys, changes }: { keys: readonly SigningKey[]; changes: KeyChanges },
) {
  const changed = changedRoles(workspace, role, changes);
  const before = await readState(workspace);
  const after = await redraft(workspace, before, { role, keys, changes, changed });
  let state = after;
  const done: DraftedRole[] = [role];
  for (const other of draftedRoles.filter((name) => changed.includes(name) && name !== role)) {
    const file = state.next[other];
    if (file === null || lacking(other, file, state).length === 0) continue;
    state = await redraft(workspace, state, { role: other, keys, changes: unchanged, changed: [] });
    done.push(other);
  }
  return done.flatMap((name) => {
    const draft = state.drafts[name];
    if (draft === null) return [];
    const { version, expires } = draft.signed;
    const named = changed.filter((one) => holderOf(one) === name);
    return [
      {
        role: name,
        version,
        expires,
        lacking: lacking(name, draft, state),
        /** For the roles that this one names and whose keys were changed. */
        keys: keysOfRoles(named, before, state),
      },
    ];
  });
}

/** Throws `validation_failed` if the keys of one of them belong to the metadata of another role than `holder`. */
function changedRoles({ directory }: Workspace, holder: RoleName, changes: KeyChanges): RoleName[] {
  const { add, remove, thresholds } = changes;
  return roleNames.filter((name) => {
    if (!add[name] && !remove[name] && !thresholds[name]) return false;
    const right = holderOf(name);
    if (right === holder) return true;
    throw new StewardError(
      "validation_failed",
      `The keys of ${name} are in the metadata of ${right}, not of ${holder}: steward-publisher renew ${directory} ${right} … Nothing was changed.`,
    );
  });
}

/** Throws what renewRole would throw for these changes, and drafts nothing. */
export async function requireChangeable(
  workspace: Workspace,
  state: State,
  { role, changes }: { role: DraftedRole; changes: KeyChanges },
): Promise<void> {
  const changed = changedRoles(workspace, role, changes);
  await unsignedDraft(workspace, state, { role, changes, changed });
}

const unchanged: KeyChanges = { add: {}, remove: {}, thresholds: {} };

interface Redraft {
  readonly role: DraftedRole;
  readonly keys: readonly SigningKey[];
  readonly changes: KeyChanges;
  readonly changed: readonly RoleName[];
}

async function redraft(workspace: Workspace, state: State, how: Redraft): Promise<State> {
  const { role, keys } = how;
  const file = signWith(role, await unsignedDraft(workspace, state, how), keys, state);
  await writeDraft(workspace, role, file);
  return withDraft(state, role, file);
}

async function unsignedDraft(
  workspace: Workspace,
  state: State,
  { role, changes, changed }: Omit<Redraft, "keys">,
): Promise<Metadata<TypeOfRole[DraftedRole]>> {
  const signed = state.next[role]?.signed;
  if (!signed) {
    throw new StewardError(
      "not_found",
      `${workspace.directory} has no metadata of ${role} to renew. See: steward-publisher inspect ${workspace.directory}`,
    );
  }
  const content = changed.reduce<Root | Targets>((made, name) => withKeys(made, name, changes), signed);
  const draft = await draftOf(workspace, state, role, content as typeof signed);
  if (role === "targets") requireSeparate(withDraft<DraftedRole>(state, role, draft));
  return draft;
}

function requireSeparate({ next }: State): void {
  const idsOf = (role: "rules" | "binary") => {
    const signers = next.targets ? delegatedSigners(next.targets.signed, role) : null;
    return (signers?.keyids ?? []).map((id) => ({ id }));
  };
  requireApart(idsOf("rules"), idsOf("binary"));
}

/** The same with the keys and the threshold of one role changed. */
function withKeys(signed: Root | Targets, name: RoleName, changes: KeyChanges): Root | Targets {
  const present = roleIn(signed, name);
  if (present === null) throw new StewardError("not_found", `Nothing is delegated to the role ${name}.`);
  const added = changes.add[name] ?? [];
  const removed = (changes.remove[name] ?? []).map((start) => idOf(start, name, present.keyids));
  const left = present.keyids.filter((id) => !removed.includes(id));
  const keyids = [...new Set([...left, ...added.map(({ id }) => id)])];
  const threshold = changes.thresholds[name] ?? present.threshold;
  if (keyids.length < threshold) {
    throw new StewardError(
      "validation_failed",
      `${name} would have ${keyids.length} keys and a threshold of ${threshold}, so it could never be signed. Add a key, or lower the threshold with --threshold ${name}=${Math.max(1, keyids.length)}. Nothing was changed.`,
    );
  }
  const role: Role = { keyids, threshold };
  const keys = { ...present.keys, ...Object.fromEntries(added.map(({ id, key }) => [id, key])) };
  return signed._type === "root"
    ? changedRoot(signed, name, role, keys)
    : changedTargets(signed, name, role, keys);
}

type Keys = Readonly<Record<string, Key>>;

function changedRoot(root: Root, name: RoleName, role: Role, keys: Keys): Root {
  const roles = { ...root.roles, [name]: role };
  return { ...root, roles, keys: onlyNamed(keys, Object.values(roles)) };
}

function changedTargets(targets: Targets, name: RoleName, role: Role, keys: Keys): Targets {
  const roles = (targets.delegations?.roles ?? []).map((one) =>
    one.name === name ? { ...one, ...role } : one,
  );
  return { ...targets, delegations: { roles, keys: onlyNamed(keys, roles) } };
}

/** Drops the keys that no role names any more. */
function onlyNamed(keys: Keys, roles: readonly Role[]): Keys {
  const named = new Set(roles.flatMap(({ keyids }) => keyids));
  return Object.fromEntries(Object.entries(keys).filter(([id]) => named.has(id)));
}

/** Every key that counts for a draft, by its id. */
export function keysFor(role: RoleName, { published, next }: State): ReadonlyMap<string, Key> {
  return new Map(
    authoritiesOf(role, published, next).flatMap(({ keyids, keys }) =>
      keyids.flatMap((id) => {
        const key = keys[id];
        return key ? [[id, key] as const] : [];
      }),
    ),
  );
}
