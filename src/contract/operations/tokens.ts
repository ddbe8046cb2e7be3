import * as tokens from "../schemas/tokens.ts";
import { admins, everyone, type Operation } from "./operation.ts";

/** Tokens for programs; none of them may make or touch credentials. */
export const tokenOperations = {
  listTokens: {
    method: "GET",
    path: "/api/tokens",
    summary: "Your API tokens; for an administrator those of all users",
    description:
      "The tokens themselves are not stored; a list shows what they are for and when they were last used.",
    access: everyone,
    query: tokens.tokensQuery,
    response: { status: 200, schema: tokens.tokenList },
  },
  createToken: {
    method: "POST",
    path: "/api/tokens",
    summary: "Create an API token for yourself, or as local root for a user; it is shown only once",
    description:
      "`token` is in this answer and nowhere else. The token can do what both its scopes and its owner's role allow. Only root makes fleet tokens, which alone may write settings of administrators and, with `users:write`, users who are none. No token makes tokens or touches second factors.",
    access: everyone,
    stepUp: true,
    body: tokens.createToken,
    idempotencyKey: true,
    response: { status: 201, schema: tokens.createdToken, collection: "/api/tokens" },
    errors: ["token_limit_reached", "not_found", "account_of_provider"],
    event: "token.created",
  },
  rotateToken: {
    method: "POST",
    path: "/api/tokens/{id}/rotate",
    summary: "Make another API token with the same rights; the former one ends after a while",
    description:
      "For `steward token rotate`, over the socket on the device alone. `token` is in this answer and nowhere else.",
    access: "local",
    isOfCommandLine: true,
    pathParameters: { id: tokens.tokenId },
    body: tokens.rotateToken,
    bodyOptional: true,
    response: { status: 201, schema: tokens.createdToken, collection: "/api/tokens" },
    errors: ["token_limit_reached", "not_found"],
    event: "token.rotated",
  },
  resumeToken: {
    method: "POST",
    path: "/api/tokens/{id}/resume",
    summary: "Make an API token valid that a restored backup has suspended",
    description: "A token that is not suspended stays as it is.",
    access: admins,
    stepUp: true,
    pathParameters: { id: tokens.tokenId },
    response: { status: 200, schema: tokens.apiToken },
    errors: ["not_found"],
    event: "token.resumed",
  },
  rotateOwnToken: {
    method: "POST",
    path: "/api/tokens/self/rotate",
    summary:
      "Make a successor of the API token that is sent, with the same rights; the former one ends after a while",
    description:
      "`token` is in this answer and nowhere else. Asked again, as after a lost answer, it replaces the successor while that is unused; then it is refused with `forbidden`.",
    access: "token",
    body: tokens.rotateToken,
    bodyOptional: true,
    response: { status: 201, schema: tokens.createdToken, collection: "/api/tokens" },
    errors: ["token_limit_reached"],
    event: "token.rotated",
  },
  deleteToken: {
    method: "DELETE",
    path: "/api/tokens/{id}",
    summary: "Delete one of your API tokens, or as an administrator any; it becomes invalid at once",
    description: "For another user's token an administrator needs a step-up.",
    access: everyone,
    pathParameters: { id: tokens.tokenId },
    response: { status: 204 },
    errors: ["step_up_required"],
    event: "token.deleted",
  },
} as const satisfies Record<string, Operation>;
