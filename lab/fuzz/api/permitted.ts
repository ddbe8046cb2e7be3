import type { Operation } from "../../../src/contract/operations/operation.ts";
import type { Actor, Credential } from "./world.ts";

/** Milliseconds for which a step-up lasts (docs/sign-in.md), and some for the way. */
const steppedUpMilliseconds = (300 + 20) * 1_000;

/** Gives the reason, by the documents only, that forbids `actor` the operation on the user `id`; null: they may do it. */
export function forbiddance(operation: Operation, actor: Actor, id: string | undefined): string | null {
  const { access } = operation;
  if (access === "open") return null;
  if (actor.kind === "anonymous" || actor.kind === "stranger") return "without a credential";
  if (actor.kind === "root")
    return access === "token" || access === "self" || access === "session"
      ? `as root, though it is of a ${access}`
      : null;
  const { credential } = actor;
  const { person, kind, state } = credential;
  if (state === "dead") return "with a credential that has ended";
  if (!person.isEnabled) return "with a disabled account";
  if (person.mustChange && !operation.beforePasswordChange) return "before the password was changed";
  return kind === "token"
    ? ofToken(operation, credential)
    : ofSession(operation, credential, id === person.id);
}

function ofToken({ scope, access }: Operation, { scopes, person }: Credential): string | null {
  if (access === "token") return null;
  if (scope === undefined || !scopes.includes(scope))
    return `with an API token that lacks the scope ${scope}`;
  const roles: readonly string[] = typeof access === "object" ? access.roles : [];
  return roles.includes(person.role) ? null : `with an API token of the role ${person.role}`;
}

function ofSession({ access, stepUp }: Operation, credential: Credential, isSelf: boolean): string | null {
  const { person, steppedUpAt } = credential;
  if (access === "local" || access === "token") return "though it is root's or a program's";
  if (access === "self" && !isSelf) return "on another user";
  if (typeof access === "object" && !access.roles.includes(person.role) && !(access.self && isSelf))
    return `as ${person.role}`;
  const isNeeded = stepUp === true || (stepUp === "others" && !isSelf);
  const isSteppedUp = steppedUpAt !== null && performance.now() - steppedUpAt < steppedUpMilliseconds;
  return isNeeded && !isSteppedUp ? "without a step-up" : null;
}
