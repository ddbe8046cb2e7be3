import * as tokens from "../schemas/tokens.ts";
import { everyone, type Operation } from "./operation.ts";

/** Tokens for programs; none of them may make or touch credentials. */
export const tokenOperations = {
  listTokens: {
    method: "GET",
    path: "/api/tokens",
    summary: "The own API tokens; to an administrator everybody's",
    access: everyone,
    query: tokens.tokensQuery,
    response: { status: 200, schema: tokens.tokenList },
    errors: ["invalid_cursor"],
  },
  createToken: {
    method: "POST",
    path: "/api/tokens",
    summary: "Make an API token for oneself, or as local root for a user; it is shown this once",
    access: everyone,
    stepUp: true,
    body: tokens.createToken,
    response: { status: 201, schema: tokens.createdToken, collection: "/api/tokens" },
    errors: ["token_limit_reached", "not_found"],
    event: "token.created",
  },
  deleteToken: {
    method: "DELETE",
    path: "/api/tokens/{id}",
    summary: "Delete an own API token, or as administrator anybody's; it dies at once",
    access: everyone,
    pathParameters: { id: tokens.tokenId },
    response: { status: 204 },
    errors: ["step_up_required"],
    event: "token.deleted",
  },
} as const satisfies Record<string, Operation>;
