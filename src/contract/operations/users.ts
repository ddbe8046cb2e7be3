import * as users from "../schemas/users.ts";
import { userId } from "../shapes.ts";
import { admins, newPasswordErrors, type Operation } from "./operation.ts";

const byId = { id: userId } as const;

/** Accounts. */
export const userOperations = {
  listUsers: {
    method: "GET",
    path: "/api/users",
    summary: "List the users, a page at a time",
    access: admins,
    scope: "users:read",
    query: users.listUsersQuery,
    response: { status: 200, schema: users.userList },
  },
  createUser: {
    method: "POST",
    path: "/api/users",
    summary: "Add a user",
    access: admins,
    scope: "users:write",
    stepUp: true,
    body: users.createUser,
    response: { status: 201, schema: users.userWithInitialPassword, collection: "/api/users" },
    errors: ["username_taken", ...newPasswordErrors],
    event: "user.created",
  },
  getUser: {
    method: "GET",
    path: "/api/users/{id}",
    summary: "Show a user",
    access: { ...admins, self: true },
    scope: "users:read",
    pathParameters: byId,
    response: { status: 200, schema: users.user, etag: true },
  },
  updateUser: {
    method: "PUT",
    path: "/api/users/{id}",
    summary: "Change the members given; users may change only their own display name",
    access: { ...admins, self: true },
    scope: "users:write",
    stepUp: "others",
    pathParameters: byId,
    body: users.updateUser,
    response: { status: 200, schema: users.user, etag: true },
    errors: ["last_admin", "account_of_provider"],
    event: "user.changed",
  },
  deleteUser: {
    method: "DELETE",
    path: "/api/users/{id}",
    summary: "Delete a user and end their sessions",
    access: admins,
    scope: "users:write",
    stepUp: true,
    pathParameters: byId,
    precondition: true,
    response: { status: 204 },
    errors: ["last_admin"],
    event: "user.deleted",
  },
  resetPassword: {
    method: "POST",
    path: "/api/users/{id}/password-reset",
    summary: "Set a password, or generate a one-use initial one; the user's sessions and API tokens end",
    access: admins,
    scope: "users:write",
    stepUp: true,
    pathParameters: byId,
    body: users.resetPassword,
    response: { status: 200, schema: users.resetUser },
    errors: ["last_admin", "account_of_provider", ...newPasswordErrors],
    event: "user.password_reset",
  },
  unlockUser: {
    method: "POST",
    path: "/api/users/{id}/unlock",
    summary: "Lift every lock on a user; without a lock nothing changes",
    access: admins,
    scope: "users:write",
    stepUp: true,
    pathParameters: byId,
    response: { status: 200, schema: users.user },
    event: "user.unlocked",
  },
  rescueUser: {
    method: "POST",
    path: "/api/users/{id}/rescue",
    summary:
      "Let a user in again: enable and unlock the account, remove the second factor, generate a one-use password, end the sessions and API tokens; local root can do it even while the disk cannot be written",
    access: admins,
    stepUp: true,
    pathParameters: byId,
    body: users.rescueUser,
    bodyOptional: true,
    response: { status: 200, schema: users.rescuedUser },
    errors: ["hashing_busy", "account_of_provider"],
    event: "user.rescued",
  },
  endUserSessions: {
    method: "DELETE",
    path: "/api/users/{id}/sessions",
    summary: "End all sessions of a user; API tokens stay valid",
    access: admins,
    scope: "users:write",
    stepUp: true,
    pathParameters: byId,
    response: { status: 204 },
    event: "user.sessions_ended",
  },
} as const satisfies Record<string, Operation>;

/** More than the summaries say, for authors of clients. Only the OpenAPI document has it. */
export const userDescriptions: Readonly<Record<keyof typeof userOperations, string>> = {
  listUsers:
    "Filters narrow the items and `total`; `counts` is about all users, whatever the query asks for.",
  createUser:
    "Without `password` a one-use password is generated and returned once, as `initial_password`: the user must choose another one at the first sign-in.",
  getUser: "Send the ETag as If-Match with a change or a deletion.",
  updateUser: "Absent members stay. A user who is disabled loses all sessions at once.",
  deleteUser: "Sessions and API tokens of the user end at once. Events keep the name.",
  resetPassword:
    "Sessions and API tokens of the user end, except with `keep_tokens`; `tokens_ended` says how many. The second factor stays.",
  unlockUser:
    "Ends the locks that wrong passwords and wrong codes have put on the account, and forgets the failures.",
  rescueUser: "The one-use password is in the answer, this once.",
  endUserSessions: "The user has to sign in again everywhere.",
};
