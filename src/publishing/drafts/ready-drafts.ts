import { StewardError } from "../../contract/errors.ts";
import type { SigningKey } from "../keys/private-keys.ts";
import { describeLack, type KeyHolders, lacking, signWith } from "../keys/signing.ts";
import { keysFor } from "../renew.ts";
import {
  type DraftedRole,
  draftedRoles,
  holderOf,
  isDraftedRole,
  type RoleFiles,
  roleFilesBy,
} from "../roles.ts";
import { type State, stateOf, withDraft, writeDraft } from "../state.ts";
import type { Workspace } from "../workspace.ts";

/** `state` with only the chosen drafts; snapshot and timestamp follow from them. */
export function chooseDrafts({ published, drafts }: State, only: readonly DraftedRole[]): State {
  const chosen = roleFilesBy((role) => (isDraftedRole(role) && !only.includes(role) ? null : drafts[role]));
  return stateOf(published, chosen);
}

/**
 * Signs the drafts of these roles with those of `keys` that count for them. Existing signatures of these keys stay, also
 * if the draft was changed since.
 */
export async function signDrafts(
  workspace: Workspace,
  state: State,
  { roles, keys }: { roles: readonly DraftedRole[]; keys: readonly SigningKey[] },
): Promise<State> {
  let signed = state;
  for (const role of roles) {
    const draft = signed.drafts[role];
    if (draft === null) continue;
    const wanted = keysFor(role, signed);
    const isFresh = ({ id }: SigningKey): boolean =>
      wanted.has(id) && !draft.signatures.some(({ keyid }) => keyid === id);
    const mine = keys.filter(isFresh);
    if (mine.length === 0) continue;
    const file = signWith<DraftedRole>(role, draft, mine, signed);
    await writeDraft(workspace, role, file);
    signed = withDraft<DraftedRole>(signed, role, file);
  }
  return signed;
}

/**
 * Throws `repository_unsigned` with all missing signatures of `chosen` at once, so that the holders of keys are asked once,
 * and with the alternatives. `whole`: including the drafts that wait.
 */
export function requireSigned(holders: KeyHolders, chosen: State, whole: State): void {
  const found = draftedRoles.flatMap((role) => {
    const lack = lackOf(role, holders, chosen, whole);
    return lack === null ? [] : [{ role, lack }];
  });
  if (found.length === 0) return;
  const ways = waysRound(
    found.map(({ role }) => role),
    chosen,
    holders.directory,
  );
  const lacks = found.map(({ lack }) => lack).join("; ");
  throw new StewardError(
    "repository_unsigned",
    `Nothing was published, because signatures are missing: ${lacks}${ways.map((way) => `. ${way}`).join("")}`,
  );
}

function lackOf(role: DraftedRole, holders: KeyHolders, chosen: State, whole: State): string | null {
  const { directory } = holders;
  const file = chosen.next[role];
  if (file === null) return `${role} has no metadata`;
  const counts = lacking(role, file, chosen);
  if (counts.length === 0) return null;
  const needed = describeLack(role, counts, holders);
  const withoutAdvice = needed.replace(/:[^:]*$/, "");
  const holder = holderOf(role);
  if (chosen.drafts[role] === null)
    return whole.drafts[role] === null
      ? `${withoutAdvice}: steward-publisher renew ${directory} ${role}`
      : `${withoutAdvice}, and its draft was not chosen: publish it too with --only ${role}`;
  const isForHolder = whole.drafts[holder] !== null && chosen.drafts[holder] === null;
  return isForHolder && lacking(role, file, whole).length === 0
    ? `${withoutAdvice}, because it is signed with the keys of the draft of ${holder}, which was not chosen: publish it too with --only ${holder}`
    : needed;
}

/** Publish the others, or discard the drafts without signatures. */
function waysRound(lacks: readonly DraftedRole[], { published, drafts }: State, directory: string): string[] {
  const blocked = lacks.filter((role) => drafts[role] !== null);
  if (blocked.length === 0 || published.timestamp === null) return [];
  const ready = draftedRoles.filter((role) => drafts[role] !== null && !lacks.includes(role));
  const alone = chooseDrafts({ published, drafts, next: published }, ready);
  const canGo = ready.length > 0 && draftedRoles.every((role) => isSigned(role, alone.next, alone));
  const only = ready.map((role) => ` --only ${role}`).join("");
  return [
    ...(canGo ? [`The others can be published now: steward-publisher publish ${directory}${only}`] : []),
    `To discard the unsigned drafts: ${blocked.map((role) => `steward-publisher discard ${directory} ${role}`).join(", ")}`,
  ];
}

function isSigned(role: DraftedRole, held: RoleFiles, state: State): boolean {
  const file = held[role];
  return file !== null && lacking(role, file, state).length === 0;
}
