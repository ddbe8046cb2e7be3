import type { Operation } from "../../../src/contract/operations/operation.ts";
import type { Actor, Credential } from "./world.ts";

/** Seconds for which a step-up lasts (docs/sign-in.md), and some for the way. */
const steppedUpSeconds = 300 + 20;

/**
 * Gives the reason, by the documents only, that forbids `actor` the operation on the user `id`; null: they may do it.
 */
export function forbiddance(operation: Operation, actor: Actor, id: string | undefined): string | null {
  const { access } = operation;
  if (access === "open") return null;
  if (actor.kind === "anonymous" || actor.kind === "stranger") return "without a credential";
  if (actor.kind === "root") {
    if (access === "token") return "as root, though it is a program's own";
    return access === "self" || access === "session" ? "as root, though it is the user's alone" : null;
  }
  const { credential } = actor;
  if (credential.state === "dead") return "with a credential that has ended";
  if (!credential.person.isEnabled) return "with a disabled account";
  if (credential.person.mustChange && !operation.beforePasswordChange)
    return "before the password was changed";
  return credential.kind === "token"
    ? tokenForbiddance(operation, credential)
    : sessionForbiddance(operation, credential, id);
}

function tokenForbiddance({ scope, access }: Operation, { scopes, person }: Credential): string | null {
  if (access === "token") return null;
  if (scope === undefined || !scopes.includes(scope))
    return `with an API token that lacks the scope ${scope}`;
  const roles: readonly string[] = typeof access === "object" ? access.roles : [];
  return roles.includes(person.role) ? null : `with an API token of the role ${person.role}`;
}

function sessionForbiddance(
  { access, stepUp }: Operation,
  { person, steppedUpAt }: Credential,
  id: string | undefined,
): string | null {
  const isSelf = id === person.id;
  if (access === "local") return "though it is root's alone";
  if (access === "token") return "though it is a program's own";
  if (access === "self" && !isSelf) return "on another user";
  if (typeof access === "object") {
    const roles: readonly string[] = access.roles;
    if (!roles.includes(person.role) && !(access.self && isSelf)) return `as ${person.role}`;
  }
  const isNeeded = stepUp === true || (stepUp === "others" && !isSelf);
  const isSteppedUp = steppedUpAt !== null && performance.now() - steppedUpAt < steppedUpSeconds * 1_000;
  return isNeeded && !isSteppedUp ? "without a step-up" : null;
}
