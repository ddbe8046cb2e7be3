import type { StoredApiToken } from "../../auth/api-token.ts";
import type { ApiTokens } from "../../auth/api-tokens.ts";
import type { ApiToken } from "../../contract/types.ts";
import { StewardError } from "../../errors.ts";
import { durationSeconds } from "../../settings/durations.ts";
import { pageOf } from "../../store/pages.ts";
import type { Accounts } from "../../users/accounts.ts";
import { requireStepUp } from "../authorise.ts";
import { type Handlers, personOf, roleOf } from "../call.ts";

type TokenHandlers = Pick<Handlers, "listTokens" | "createToken" | "deleteToken">;

export interface TokenHandlersOptions {
  accounts: Accounts;
  apiTokens: ApiTokens;
}

/** Bounds of a token's life, in seconds. */
const shortestSeconds = 60 * 60;
const longestSeconds = 366 * 86_400;

/** Tokens for programs. */
export function createTokenHandlers({ accounts, apiTokens }: TokenHandlersOptions): TokenHandlers {
  const describe = (token: StoredApiToken): ApiToken => ({
    id: token.id,
    name: token.name,
    user_id: token.user_id,
    username: accounts.get(token.user_id).username,
    scopes: [...token.scopes],
    created_at: token.created_at,
    expires_at: token.expires_at,
    is_expired: apiTokens.isExpired(token),
    last_used_at: token.last_used_at,
    last_used_from: token.last_used_from,
  });
  return {
    listTokens: ({ query, actor }) => {
      const own = actor.kind === "user" ? actor.account.id : undefined;
      const isAdmin = roleOf(actor) === "admin";
      if (query?.user_id !== undefined && query.user_id !== own && !isAdmin) throw foreign();
      const tokens = apiTokens.list(query?.user_id ?? (isAdmin ? undefined : own));
      const page = pageOf(tokens, {
        list: "tokens",
        keyOf: ({ created_at, id }) => [created_at, id],
        limit: query?.limit ?? 200,
        cursor: query?.cursor,
      });
      return { ...page, items: page.items.map(describe) };
    },
    createToken: async ({ body, actor, note }) => {
      const lifetimeSeconds = lifetimeOf(body.expires_in ?? "90d");
      const owner = personOf(actor).account;
      const { token, text } = await apiTokens.create(owner, {
        name: body.name,
        scopes: body.scopes,
        lifetimeSeconds,
      });
      note({ subject: { id: token.id, name: token.name }, details: { scopes: token.scopes } });
      return { ...describe(token), token: text };
    },
    deleteToken: async ({ params, actor, note }) => {
      const token = apiTokens.byId(params.id);
      const isOwn = actor.kind === "user" && token?.user_id === actor.account.id;
      // Whether there is such a token is nobody's business but its owner's and an administrator's.
      if (!token || (!isOwn && roleOf(actor) !== "admin")) throw unknown();
      if (!isOwn) requireStepUp(actor);
      await apiTokens.remove(({ id }) => id === token.id);
      note({ subject: { id: token.id, name: token.name } });
      return undefined;
    },
  };
}

function lifetimeOf(duration: string): number {
  const seconds = durationSeconds(duration);
  if (seconds >= shortestSeconds && seconds <= longestSeconds) return seconds;
  const detail = "must be 1h to 366d";
  throw new StewardError("validation_failed", `Member /expires_in ${detail}. Nothing was made.`, {
    details: { errors: [{ pointer: "/expires_in", code: "out_of_range", detail }] },
  });
}

function foreign(): StewardError {
  return new StewardError("forbidden", "Another user's API tokens are an administrator's business.");
}

function unknown(): StewardError {
  return new StewardError("not_found", "There is no API token with this id.");
}
