import type { Operation } from "../contract/operation.ts";
import { StewardError } from "../errors.ts";
import { type Actor, roleOf } from "./call.ts";

/** Throws unless `actor` may call `operation`: `authentication_required`, `forbidden`, `password_change_required`. */
export function authorise(
  operation: Operation,
  actor: Actor,
  params: Readonly<Record<string, string>>,
): void {
  if (operation.access === "open") return;
  if (actor.kind === "anonymous") {
    throw new StewardError(
      "authentication_required",
      "Sign in first: this needs an access token (Authorization: Bearer …).",
    );
  }
  if (actor.kind === "user" && actor.account.password_state !== "chosen" && !operation.beforePasswordChange) {
    throw new StewardError(
      "password_change_required",
      "You signed in with a one-use password. Choose your own first: PUT /api/auth/password.",
    );
  }
  if (operation.access === "session") {
    if (actor.kind === "user") return;
    throw new StewardError(
      "forbidden",
      "This is about the signed-in user himself; on the local socket nobody is signed in.",
    );
  }
  const role = roleOf(actor);
  if (role && operation.access.roles.includes(role)) return;
  if (operation.access.self && actor.kind === "user" && params.id === actor.account.id) return;
  throw new StewardError(
    "forbidden",
    `Your role "${role}" may not do this; it takes ${operation.access.roles.join(" or ")}.`,
  );
}
