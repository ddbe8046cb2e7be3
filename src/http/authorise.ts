import type { Person, Program } from "../accounts/tokens/bearer.ts";
import { StewardError } from "../contract/errors.ts";
import type { Access, Operation } from "../contract/operations/operation.ts";
import { fleetScopes, type Scope } from "../contract/scopes.ts";
import { type Actor, roleOf } from "./call.ts";

/** The rights that an operation needs, and the steps that its caller must have taken. */
export type Policy = Pick<
  Operation,
  "access" | "scope" | "stepUp" | "beforePasswordChange" | "beforeEnrolment" | "insteadForAdmins"
>;

/**
 * Throws unless the policy admits `actor`: `authentication_required`, `forbidden`, `password_change_required`,
 * `two_factor_enrolment_required`, `token_not_allowed`, `insufficient_scope`, `step_up_required`. `hasBegun`: the password
 * was given for all of a request that lasts.
 */
export function authorise(
  policy: Policy,
  actor: Actor,
  params: Readonly<Record<string, string>>,
  hasBegun = false,
): void {
  if (policy.access === "open") return;
  if (actor.kind === "anonymous") throw actor.refusal ?? unknownCaller();
  if (actor.kind === "token" && policy.access !== "token") refuseOutOfScope(policy, actor);
  if (actor.kind !== "local-root") refuseRestricted(policy, actor);
  const isSelf = actor.kind === "user" && params.id === actor.account.id;
  refuseRole(policy, actor, isSelf);
  // The password was given when the token was made, and a program has none to give.
  if (actor.kind === "token" || hasBegun) return;
  if (policy.stepUp === true || (policy.stepUp === "others" && !isSelf)) requireStepUp(actor);
}

export function isAuthorised(policy: Policy, actor: Actor): boolean {
  try {
    authorise(policy, actor, {});
    return true;
  } catch {
    return false;
  }
}

/** Throws `step_up_required` unless the caller gave the password a short while ago, or is local root. */
export function requireStepUp(actor: Actor): void {
  if (actor.kind === "local-root") return;
  if (actor.kind === "user" && actor.isSteppedUp) return;
  throw new StewardError(
    "step_up_required",
    "Confirm your password (and code, if you have a second factor) with POST /api/auth/reauth, then repeat the request within five minutes. Nothing was changed.",
  );
}

function unknownCaller(): StewardError {
  return new StewardError(
    "authentication_required",
    "Sign in first: this request needs an access token (Authorization: Bearer …).",
  );
}

/** Throws `token_not_allowed` and `insufficient_scope`. */
export function refuseOutOfScope({ scope }: Policy, { token }: Program): void {
  if (scope === undefined) {
    throw new StewardError(
      "token_not_allowed",
      "API tokens may not do this, with any scope. A user has to sign in.",
    );
  }
  const { scopes, is_fleet } = token;
  // Only root makes tokens with these scopes, and only for fleets: both are checked, in case one of them is wrong.
  const isHeld = is_fleet || !(fleetScopes as readonly Scope[]).includes(scope);
  if (isHeld && scopes.includes(scope)) return;
  throw new StewardError(
    "insufficient_scope",
    `This API token has the scopes ${scopes.join(", ")}; this request needs ${scope}.`,
  );
}

function refuseRestricted(policy: Policy, actor: Person | Program): void {
  const { requiredAction } = actor;
  if (requiredAction === "password_change" && !policy.beforePasswordChange) {
    throw new StewardError(
      "password_change_required",
      actor.kind === "user"
        ? "You signed in with a one-use password. Choose your own first: PUT /api/auth/password."
        : `The owner of this API token, ${actor.account.username}, has a one-use password. The token is refused until they sign in and choose their own.`,
    );
  }
  if (requiredAction === "two_factor_enrolment" && !policy.beforeEnrolment) {
    throw new StewardError(
      "two_factor_enrolment_required",
      actor.kind === "user"
        ? "This device requires two-factor sign-in and you have not enrolled: POST /api/auth/reauth, then /api/users/{id}/2fa/setup and …/enable."
        : `This device requires two-factor sign-in (security.require_2fa), and the owner of this API token, ${actor.account.username}, has not enrolled. The token is refused until they have: \`steward user 2fa setup ${actor.account.username}\`.`,
    );
  }
}

function refuseRole({ access, insteadForAdmins }: Policy, actor: Actor, isSelf: boolean): void {
  if (mayCall(access, actor, isSelf)) return;
  if (access === "local") {
    throw new StewardError(
      "forbidden",
      "Only root on the device may do this, with the command line `steward`.",
    );
  }
  if (access === "token") {
    throw new StewardError(
      "forbidden",
      "Only a program can do this, for the API token that it sends. Root rotates any: `steward token rotate ID`.",
    );
  }
  if (typeof access === "string") {
    const isAdvised = insteadForAdmins !== undefined && roleOf(actor) === "admin";
    throw new StewardError(
      "forbidden",
      isAdvised
        ? `Only the user can do this, with their own password. An administrator ${insteadForAdmins}. Nothing was changed.`
        : "Only the user who is signed in can do this; neither local root nor an administrator can do it for them.",
    );
  }
  const whose =
    actor.kind === "token"
      ? `The owner of this API token has the role "${roleOf(actor)}", which`
      : `Your role "${roleOf(actor)}"`;
  throw new StewardError(
    "forbidden",
    `${whose} may not do this; it needs the role ${access.roles.join(" or ")}.`,
  );
}

function mayCall(access: Access, actor: Actor, isSelf: boolean): boolean {
  switch (access) {
    case "open":
      return true;
    case "session":
      return actor.kind === "user";
    case "self":
      return isSelf;
    case "token":
      return actor.kind === "token";
    case "local":
      return actor.kind === "local-root";
    default: {
      const role = roleOf(actor);
      return (access.self === true && isSelf) || (role !== undefined && access.roles.includes(role));
    }
  }
}
