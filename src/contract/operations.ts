import * as auth from "./auth.ts";
import type { Operation } from "./operation.ts";
import { settingsChange, settingsView } from "./settings-forms.ts";
import { userId } from "./shapes.ts";
import * as system from "./system.ts";
import * as users from "./users.ts";

const everyone = { roles: ["admin", "operator", "readonly"] } as const;
const admins = { roles: ["admin"] } as const;
const byId = { id: userId } as const;
const newPasswordErrors = [
  "password_too_short",
  "password_too_long",
  "password_blocklisted",
  "password_contains_identity",
  "hashing_busy",
] as const;

/** Every route of the agent. Routes, validation, types, OpenAPI and the command line's client derive from it. */
export const operations = {
  getVersion: {
    method: "GET",
    path: "/api/version",
    summary: "Name and version; with a token also build, host and boot",
    access: "open",
    beforeSetup: true,
    inRescue: true,
    beforePasswordChange: true,
    response: { status: 200, schema: system.version },
  },
  getHealth: {
    method: "GET",
    path: "/api/health",
    summary: "Whether the agent is well; with a token also each check",
    access: "open",
    beforeSetup: true,
    inRescue: true,
    beforePasswordChange: true,
    response: { status: 200, schema: system.health },
  },
  getReadiness: {
    method: "GET",
    path: "/api/health/ready",
    summary: "Whether the agent can serve sign-ins; 503 when not",
    access: "open",
    beforeSetup: true,
    inRescue: true,
    beforePasswordChange: true,
    response: { status: 200, schema: system.health },
    errors: ["state_damaged", "shutting_down"],
  },
  getOpenApi: {
    method: "GET",
    path: "/api/openapi.json",
    summary: "This contract as OpenAPI 3.1",
    access: "open",
    beforeSetup: true,
    beforePasswordChange: true,
    response: { status: 200, schema: system.anyObject },
  },
  getSetup: {
    method: "GET",
    path: "/api/setup",
    summary: "Whether the first administrator is still to be made",
    access: "open",
    beforeSetup: true,
    response: { status: 200, schema: auth.setupStatus },
  },
  setUp: {
    method: "POST",
    path: "/api/setup",
    summary: "Make the first administrator with the one-time setup token",
    access: "open",
    beforeSetup: true,
    body: auth.setUp,
    response: { status: 201, schema: users.user },
    errors: ["setup_already_done", "setup_token_invalid", "username_taken", ...newPasswordErrors],
  },
  login: {
    method: "POST",
    path: "/api/auth/login",
    summary: "Sign in with user name and password",
    access: "open",
    body: auth.login,
    response: { status: 200, schema: auth.session },
    errors: ["invalid_credentials", "hashing_busy"],
  },
  refresh: {
    method: "POST",
    path: "/api/auth/refresh",
    summary: "Exchange the refresh token for a new pair; the old refresh token dies",
    access: "open",
    body: auth.refresh,
    response: { status: 200, schema: auth.session },
    errors: ["invalid_token"],
  },
  logout: {
    method: "POST",
    path: "/api/auth/logout",
    summary: "End the session of this refresh token",
    access: "open",
    body: auth.refresh,
    response: { status: 204 },
  },
  getMe: {
    method: "GET",
    path: "/api/auth/me",
    summary: "The signed-in user",
    access: "session",
    beforePasswordChange: true,
    response: { status: 200, schema: users.user },
  },
  changePassword: {
    method: "PUT",
    path: "/api/auth/password",
    summary: "Change the own password; all other sessions of the user end",
    access: "session",
    beforePasswordChange: true,
    body: auth.changePassword,
    response: { status: 204 },
    errors: ["password_wrong", ...newPasswordErrors],
  },
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
  },
  deleteUser: {
    method: "DELETE",
    path: "/api/users/{id}",
    summary: "Delete a user and end his sessions",
    access: admins,
    pathParameters: byId,
    response: { status: 204 },
    errors: ["last_admin"],
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
  },
  unlockUser: {
    method: "POST",
    path: "/api/users/{id}/unlock",
    summary: "End every lock on the user; a user without one stays as he is",
    access: admins,
    pathParameters: byId,
    response: { status: 200, schema: users.user },
  },
  getSettings: {
    method: "GET",
    path: "/api/system",
    summary: "The settings",
    access: everyone,
    response: { status: 200, schema: settingsView, etag: true },
  },
  updateSettings: {
    method: "PUT",
    path: "/api/system",
    summary: "Change the settings given; an operator only those whose x-writer is operator",
    access: { roles: ["admin", "operator"] },
    body: settingsChange,
    response: { status: 200, schema: settingsView, etag: true },
    errors: ["signature_verification_required", "update_trust_not_established"],
  },
  getSettingsSchema: {
    method: "GET",
    path: "/api/system/schema",
    summary: "JSON Schema of the settings: defaults, units and who may write (x-writer)",
    access: everyone,
    response: { status: 200, schema: system.anyObject },
  },
  getSystemFacts: {
    method: "GET",
    path: "/api/system/facts",
    summary: "What the host is and how it does",
    access: everyone,
    response: { status: 200, schema: system.facts },
  },
} as const satisfies Record<string, Operation>;

export type OperationId = keyof typeof operations;

/** The operation with its optional members visible, for code that treats all of them alike. */
export function operationOf(id: OperationId): Operation {
  return operations[id];
}

export const operationIds = Object.keys(operations) as OperationId[];
