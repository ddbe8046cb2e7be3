import { durationSecondsOrNaN } from "../../contract/durations.ts";
import { createToken, sha256, tokenLifeSeconds } from "../../contract/schemas/tokens.ts";
import { type Scope, userScopes } from "../../contract/scopes.ts";
import { username as usernameSchema } from "../../contract/shapes.ts";
import { jsonOf } from "../../contract/text/json-of.ts";
import { hashOfToken } from "../sessions/refresh-token.ts";
import type { Accounts } from "../users/accounts.ts";
import { newTokenText, type StoredApiToken } from "./api-token.ts";
import type { ApiTokens, WantedToken } from "./api-tokens.ts";

/** The content of a first token's file, apart from its hash. */
interface FirstTokenPlan {
  readonly username: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** A duration; 90 days if absent. */
  readonly expires_in?: string | undefined;
}

/** Reads the first token's hash from the systemd credential `steward.token`. Throws an Error that names the fault. */
export function readFirstToken(text: string): WantedToken & { username: string; hash: string } {
  const read: unknown = jsonOf(text, (why) => new Error(`it ${why}`));
  if (typeof read !== "object" || read === null || Array.isArray(read))
    throw new Error("it must be an object");
  const members = read as Record<string, unknown>;
  const known = ["username", "name", "scopes", "token_hash", "expires_in"];
  const stranger = Object.keys(members).find((name) => !known.includes(name));
  if (stranger !== undefined) throw new Error(`${stranger} is not a member known here`);
  return {
    username: textOf(members, "username", usernameSchema),
    name: textOf(members, "name", createToken.properties.name),
    scopes: scopesOf(members.scopes),
    hash: textOf(members, "token_hash", sha256),
    lifetimeSeconds: lifetimeOf(members.expires_in),
  };
}

/**
 * Makes the provisioned token, once; null: it was made before. Throws an Error for a fault of the credential,
 * `forbidden` for scopes that the owner's role does not permit, `storage_full` and `storage_unwritable`.
 */
export async function provisionToken(
  accounts: Pick<Accounts, "findByName">,
  apiTokens: Pick<ApiTokens, "provision" | "isProvisioned">,
  text: string,
): Promise<StoredApiToken | null> {
  const first = readFirstToken(text);
  if (apiTokens.isProvisioned(first.hash)) return null;
  const owner = accounts.findByName(first.username);
  if (!owner) throw new Error(`there is no user ${first.username}; it is tried again at the next start`);
  return apiTokens.provision(owner, first, first.hash);
}

/**
 * A new token, and the file that makes it on a device. Throws an Error for a token that `readFirstToken` would refuse.
 */
export function newFirstToken(plan: FirstTokenPlan): { readonly token: string; readonly file: string } {
  const token = newTokenText();
  const file = `${JSON.stringify({ ...plan, token_hash: hashOfToken(token) }, undefined, 2)}\n`;
  readFirstToken(file);
  return { token, file };
}

function textOf(
  members: Record<string, unknown>,
  name: string,
  schema: { pattern: string; "x-expected": string; minLength?: number; maxLength?: number },
): string {
  const value = members[name];
  const fits =
    typeof value === "string" &&
    new RegExp(schema.pattern).test(value) &&
    value.length >= (schema.minLength ?? 0) &&
    value.length <= (schema.maxLength ?? Number.POSITIVE_INFINITY);
  if (!fits) throw new Error(`${name} must be ${schema["x-expected"]}`);
  return value;
}

function scopesOf(value: unknown): Scope[] {
  const scopes = Array.isArray(value) ? userScopes.filter((name) => value.includes(name)) : [];
  if (Array.isArray(value) && scopes.length > 0 && scopes.length === value.length) return scopes;
  throw new Error(`scopes must be a list of one or more of ${userScopes.join(", ")}, each once`);
}

function lifetimeOf(value: unknown): number {
  if (value === undefined) return tokenLifeSeconds.usual;
  const seconds = durationSecondsOrNaN(value);
  if (seconds >= tokenLifeSeconds.shortest && seconds <= tokenLifeSeconds.longest) return seconds;
  throw new Error("expires_in must be a duration from 1h to 366d");
}
