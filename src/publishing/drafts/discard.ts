import { StewardError } from "../../contract/errors.ts";
import { specVersion } from "../init/init.ts";
import type { SigningKey } from "../keys/private-keys.ts";
import { keysOfRoles } from "../keys/role-keys.ts";
import { signWith } from "../keys/signing.ts";
import { clearPayloads } from "../payload-store.ts";
import { holderOf, isReleaseRole, type ReleaseRole, type RoleName, roleNames } from "../roles.ts";
import { draftOf, readState, removeDraft, type State, writeDraft } from "../state.ts";
import type { Workspace } from "../workspace.ts";

/** A discarded draft, and its content. */
export type Discarded = ReturnType<typeof discardedOf>;

/** Dependent roles first, so that an interrupted discard leaves valid drafts. */
const order: readonly RoleName[] = ["timestamp", "snapshot", "binary", "rules", "targets", "root"];

/**
 * The drafts that are discarded with that of `role`, or with all, in the order of removal. Throws `not_found` without a
 * draft, `repository_conflict` if the repository consists of nothing else.
 */
export function planDiscard({ directory }: Workspace, state: State, role?: RoleName): readonly Discarded[] {
  const given = order.filter((one) => (role ?? one) === one && state.drafts[one] !== null);
  const wanted = given.filter((one) => canGo(state, one));
  if (wanted.length > 0) return withOnline(state, wanted).map((one) => discardedOf(state, one));
  const needed = given.find((one) => !isReleaseRole(one));
  if (needed !== undefined) {
    throw new StewardError(
      "repository_conflict",
      `Before the first publish, ${needed} exists only as a draft. To start again, remove ${directory} and run: steward-publisher init ${directory}. Nothing was discarded.`,
    );
  }
  const what = given.length > 0 ? `release in the draft of ${given[0]}` : `draft${role ? ` of ${role}` : ""}`;
  throw new StewardError(
    "not_found",
    `There is no ${what} in ${directory} to discard. See: steward-publisher inspect ${directory}`,
  );
}

/** True where the role exists without its draft, or an empty one can replace it. */
function canGo({ published, drafts }: State, role: RoleName): boolean {
  if (published[role] !== null || role === "timestamp" || role === "snapshot") return true;
  return isReleaseRole(role) && Object.keys(drafts[role]?.signed.targets ?? {}).length > 0;
}

/** Adds the drafts of snapshot and timestamp that name one of these. */
function withOnline({ drafts }: State, roles: readonly RoleName[]): readonly RoleName[] {
  const named = drafts.snapshot?.signed.meta ?? {};
  const isNamed = roles.some((role) => named[`${role}.json`]?.version === drafts[role]?.signed.version);
  const all = isNamed ? ["timestamp", "snapshot", ...roles] : roles;
  return order.filter((role) => all.includes(role) && drafts[role] !== null);
}

function discardedOf(state: State, role: RoleName) {
  const { published, drafts } = state;
  const version = drafts[role]?.signed.version ?? 0;
  const before = isReleaseRole(role) ? (published[role]?.signed.targets ?? {}) : {};
  const targets = isReleaseRole(role) ? Object.entries(drafts[role]?.signed.targets ?? {}) : [];
  const changed = targets.filter(([path, file]) => JSON.stringify(before[path]) !== JSON.stringify(file));
  const held = roleNames.filter((one) => holderOf(one) === role);
  const asPublished = { published, drafts, next: published };
  return {
    role,
    version,
    /** Paths of the releases that it added or changed. */
    targets: changed.map(([path]) => path),
    /** Number of published releases that it drops. */
    dropped: Object.keys(before).filter((path) => targets.every(([other]) => other !== path)).length,
    /** The changes of keys in it. */
    keys: keysOfRoles(held, asPublished, state).filter(
      ({ added, removed }) => added.length + removed.length > 0,
    ),
    /** An empty draft replaces it, because nothing of this role is published yet. */
    is_emptied: published[role] === null && isReleaseRole(role),
  };
}

/** Discards these drafts, with the payloads that no other draft names. Published files are not changed. */
export async function discardDrafts(
  workspace: Workspace,
  state: State,
  { discarded, keys }: { discarded: readonly Discarded[]; keys: readonly SigningKey[] },
): Promise<State> {
  for (const { role, is_emptied } of discarded) {
    if (is_emptied && isReleaseRole(role)) await emptyDraft(workspace, state, role, keys);
    else await removeDraft(workspace, role);
  }
  const left = await readState(workspace);
  await clearPayloads(workspace, left.drafts);
  return left;
}

async function emptyDraft(
  workspace: Workspace,
  state: State,
  role: ReleaseRole,
  keys: readonly SigningKey[],
): Promise<void> {
  const content = { _type: "targets" as const, spec_version: specVersion, targets: {} };
  const draft = await draftOf(workspace, state, role, content);
  await writeDraft(workspace, role, signWith<ReleaseRole>(role, draft, keys, state));
}
