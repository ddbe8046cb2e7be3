import assert from "node:assert/strict";
import type { Answer } from "./running-agent.ts";

/** A browser adds these headers to requests of a page of this origin. */
export const ownPage = { "sec-fetch-site": "same-origin" };

/** A browser keeps these after a sign-in: the cookie, and the headers that its page sends with it. */
export interface Kept {
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Gives the headers that a page of this origin sends after this sign-in. Further cookies may come before or behind its
 * own.
 */
export function keptOf(answer: Answer): Kept {
  const { name, value } = cookieOf(answer);
  assert.match(answer.json.refresh_binding, /^srb_[A-Za-z0-9_-]{44}$/);
  const headers = { cookie: `${name}=${value}`, "x-refresh-binding": answer.json.refresh_binding };
  return { value, headers };
}

interface SetCookie {
  readonly name: string;
  readonly value: string;
  readonly attributes: string[];
}

/** The cookie with the refresh token that an answer sets. Throws where there is none, or more. */
export function cookieOf(answer: Answer): SetCookie {
  const [cookie, ...others] = cookiesOf(answer).filter(({ name }) => !name.endsWith("-document"));
  assert.ok(cookie && others.length === 0, `one cookie of the session, not ${others.length}`);
  return cookie;
}

export function cookiesOf({ headers }: Answer): SetCookie[] {
  return [headers["set-cookie"] ?? []].flat().map((line) => {
    const [pair = "", ...attributes] = line.split("; ");
    const [, name = "", value = ""] = /^([^=]+)=(.*)$/.exec(pair) ?? [];
    return { name, value, attributes };
  });
}
