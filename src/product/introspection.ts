import type { Bearer, Program } from "../accounts/tokens/bearer.ts";
import { StewardError } from "../contract/errors.ts";
import type { ProductPage, Visits } from "./visits.ts";

interface IntrospectionParts {
  readonly pages: readonly ProductPage[];
  readonly visits: Pick<Visits, "checkProgram">;
  readonly bearer: Pick<Bearer, "program">;
}

export type Introspect = ReturnType<typeof createIntrospection>;

/** Describes a token as RFC 7662 §2.2 does; of one that opens no page, or not the one that is named, it says only that. */
export function createIntrospection({ pages, visits, bearer }: IntrospectionParts) {
  return (text: string, { page: name, from }: { page: string | undefined; from: string }): object => {
    const program = programOf(bearer, text, from);
    if (!program?.token.scopes.includes("product:use")) return { active: false };
    const asked = pages.filter((page) => name === undefined || page.name === name);
    const aud = asked.filter((page) => typeof visits.checkProgram(page, program) === "object");
    // A product that reads `active` and nothing else, as libraries do, must let no one in who may open nothing.
    if (aud.length === 0) return { active: false };
    const { account, token } = program;
    return {
      // Its other scopes are not the product's affair (RFC 7662 §2.2).
      ...{ active: true, scope: "product:use", client_id: token.id, token_type: "Bearer" },
      ...{ username: account.username, sub: account.id, steward_role: account.role },
      aud: aud.map(({ name }) => name),
      iat: secondsOf(token.created_at),
      // The life of a token that was made before the clock was trusted has not begun.
      ...(token.is_dated && { exp: secondsOf(token.expires_at) }),
    };
  };
}

function programOf(bearer: IntrospectionParts["bearer"], text: string, from: string): Program | undefined {
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
