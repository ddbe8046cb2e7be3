import * as users from "../schemas/users.ts";
import { userId } from "../shapes.ts";
import { admins, newPasswordErrors, type Operation } from "./operation.ts";

const byId = { id: userId } as const;

/** A change of one account. */
const writing = { access: admins, scope: "users:write", stepUp: true, pathParameters: byId } as const;

export const userOperations = {
  listUsers: {
    method: "GET",
    path: "/api/users",
    summary: "List the users, a page at a time",
    description:
      "Filters narrow the items and `total`; `counts` is about all users, whatever the query asks for.",
    access: admins,
    scope: "users:read",
    query: users.listUsersQuery,
    response: { status: 200, schema: users.userList },
  },
  createUser: {
    method: "POST",
    path: "/api/users",
    summary: "Add a user",
    description:
      "Without `password` a one-use password is generated and returned once, as `initial_password`: the user must choose another one at the first sign-in.",
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
    description: "Send the ETag as If-Match with a change or a deletion.",
    access: { ...admins, self: true },
    scope: "users:read",
    pathParameters: byId,
    response: { status: 200, schema: users.user, etag: true },
  },
  updateUser: {
    method: "PUT",
    path: "/api/users/{id}",
    summary: "Change the members given; users may change only their own display name",
    description: "Absent members stay. A user who is disabled loses all sessions at once.",
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
    ...writing,
    method: "DELETE",
    path: "/api/users/{id}",
    summary: "Delete a user and end their sessions",
    description: "Sessions and API tokens of the user end at once. Events keep the name.",
    precondition: true,
    response: { status: 204 },
    errors: ["last_admin"],
    event: "user.deleted",
  },
  resetPassword: {
    ...writing,
    method: "POST",
    path: "/api/users/{id}/password-reset",
    summary: "Set a password, or generate a one-use initial one; the user's sessions and API tokens end",
    description:
      "Sessions and API tokens of the user end, except with `keep_tokens`; `tokens_ended` says how many. The second factor stays.",
    body: users.resetPassword,
    response: { status: 200, schema: users.resetUser },
    errors: ["last_admin", "account_of_provider", ...newPasswordErrors],
    event: "user.password_reset",
  },
  unlockUser: {
    ...writing,
    method: "POST",
    path: "/api/users/{id}/unlock",
    summary: "Lift every lock on a user; without a lock nothing changes",
    description:
      "Ends the locks that wrong passwords and wrong codes have put on the account, and forgets the failures.",
    response: { status: 200, schema: users.user },
    event: "user.unlocked",
  },
  rescueUser: {
    method: "POST",
    path: "/api/users/{id}/rescue",
    summary:
      "Let a user in again: enable and unlock the account, remove the second factor, generate a one-use password, end the sessions and API tokens; local root can do it even while the disk cannot be written",
    description: "The one-use password is in the answer, this once.",
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
    ...writing,
    method: "DELETE",
    path: "/api/users/{id}/sessions",
    summary: "End all sessions of a user; API tokens stay valid",
    description: "The user has to sign in again everywhere.",
    response: { status: 204 },
    event: "user.sessions_ended",
  },
} as const satisfies Record<string, Operation>;
