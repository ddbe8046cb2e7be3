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
  assert.match(answer.json.refresh_binding, /^srb_[A-Za-z0-9_-]{22}$/);
  const headers = { cookie: `${name}=${value}`, "x-refresh-binding": answer.json.refresh_binding };
  return { value, headers };
}

/** The one Set-Cookie line of an answer, taken apart. Throws where there is none, or more. */
export function cookieOf({ headers }: Answer): { name: string; value: string; attributes: string[] } {
  const lines = [headers["set-cookie"] ?? []].flat();
  assert.equal(lines.length, 1, `one Set-Cookie, not ${lines.length}`);
  const [pair = "", ...attributes] = (lines[0] ?? "").split("; ");
  const [, name = "", value = ""] = /^([^=]+)=(.*)$/.exec(pair) ?? [];
  return { name, value, attributes };
}
