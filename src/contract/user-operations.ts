import { admins, type Operation } from "./operation.ts";
import { newPasswordErrors } from "./password-errors.ts";
import { userId } from "./shapes.ts";
import * as users from "./users.ts";

const byId = { id: userId } as const;

/** Accounts. */
export const userOperations = {
  listUsers: {
    method: "GET",
    path: "/api/users",
    summary: "Users, a page at a time",
    access: admins,
    query: users.listUsersQuery,
    response: { status: 200, schema: users.userList },
    errors: ["invalid_cursor"],
  },
  createUser: {
    method: "POST",
    path: "/api/users",
    summary: "Add a user",
    access: admins,
    body: users.createUser,
    response: { status: 201, schema: users.userWithInitialPassword },
    errors: ["username_taken", ...newPasswordErrors],
    event: "user.created",
  },
  getUser: {
    method: "GET",
    path: "/api/users/{id}",
    summary: "One user",
    access: { ...admins, self: true },
    pathParameters: byId,
    response: { status: 200, schema: users.user, etag: true },
  },
  updateUser: {
    method: "PUT",
    path: "/api/users/{id}",
    summary: "Change the members given; a user himself only his display name",
    access: { ...admins, self: true },
    pathParameters: byId,
    body: users.updateUser,
    response: { status: 200, schema: users.user, etag: true },
    errors: ["last_admin"],
    event: "user.changed",
  },
  deleteUser: {
    method: "DELETE",
    path: "/api/users/{id}",
    summary: "Delete a user and end his sessions",
    access: admins,
    pathParameters: byId,
    response: { status: 204 },
    errors: ["last_admin"],
    event: "user.deleted",
  },
  resetPassword: {
    method: "POST",
    path: "/api/users/{id}/password-reset",
    summary: "Set a password, or make a one-use initial one; the user's sessions end",
    access: admins,
    pathParameters: byId,
    body: users.resetPassword,
    response: { status: 200, schema: users.userWithInitialPassword },
    errors: [...newPasswordErrors],
    event: "user.password_reset",
  },
  unlockUser: {
    method: "POST",
    path: "/api/users/{id}/unlock",
    summary: "End every lock on the user; a user without one stays as he is",
    access: admins,
    pathParameters: byId,
    response: { status: 200, schema: users.user },
    event: "user.unlocked",
  },
  endUserSessions: {
    method: "DELETE",
    path: "/api/users/{id}/sessions",
    summary: "End all sessions of a user",
    access: admins,
    pathParameters: byId,
    response: { status: 204 },
    event: "user.sessions_ended",
  },
} as const satisfies Record<string, Operation>;
