import type { Bearer, Program } from "../accounts/tokens/bearer.ts";
import { noEnd } from "../accounts/tokens/token-rights.ts";
import { StewardError } from "../contract/errors.ts";
import type { Role } from "../contract/types.ts";
import type { ProductPage, Visits } from "./visits.ts";

export interface IntrospectionOptions {
  readonly pages: readonly ProductPage[];
  readonly visits: Pick<Visits, "checkProgram">;
  readonly bearer: Pick<Bearer, "program">;
}

/** An API token as RFC 7662 §2.2 describes one to the product. */
export type Introspection =
  | { readonly active: false }
  | {
      readonly active: true;
      readonly scope: string;
      /** The token's id. */
      readonly client_id: string;
      /** Its owner. */
      readonly username: string;
      readonly sub: string;
      readonly token_type: "Bearer";
      /** Seconds since 1970; absent while the clock has not been trusted since the token was made. */
      readonly exp?: number;
      readonly iat: number;
      /** The pages that it opens. */
      readonly aud: readonly string[];
      readonly steward_role: Role;
    };

export type Introspect = ReturnType<typeof createIntrospection>;

/** Says what a token is worth at the product's pages; of one that opens none only that, for whatever reason. */
export function createIntrospection({ pages, visits, bearer }: IntrospectionOptions) {
  return (text: string, from: string): Introspection => {
    const program = programOf(bearer, text, from);
    if (!program?.token.scopes.includes("product:use")) return { active: false };
    const aud = pages.filter((page) => typeof visits.checkProgram(page, program) === "object");
    // A product that reads `active` and nothing else must let no one in who may open nothing.
    if (aud.length === 0) return { active: false };
    const { account, token } = program;
    const { created_at, expires_at, is_dated } = token;
    return {
      active: true,
      // Its other scopes are not the product's affair (RFC 7662 §2.2).
      scope: "product:use",
      client_id: token.id,
      username: account.username,
      sub: account.id,
      token_type: "Bearer",
      ...(is_dated && expires_at !== noEnd && { exp: secondsOf(expires_at) }),
      iat: secondsOf(created_at),
      aud: aud.map(({ name }) => name),
      steward_role: account.role,
    };
  };
}

function programOf(bearer: IntrospectionOptions["bearer"], text: string, from: string): Program | undefined {
  try {
    return bearer.program(text, false, from);
  } catch (error) {
    if (error instanceof StewardError && error.code === "invalid_token") return undefined;
    throw error;
  }
}

function secondsOf(time: string): number {
  return Math.floor(Date.parse(time) / 1_000);
}
