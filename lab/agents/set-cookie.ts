import assert from "node:assert/strict";
import type { Answer } from "./running-agent.ts";

/** What a browser sends of itself from a page of this origin. */
export const ownPage = { "sec-fetch-site": "same-origin" };

/** What a browser keeps of a sign-in: the cookie, and what its page sends beside it. */
export interface Kept {
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a page of this origin sends after this sign-in; further cookies stand before or behind its own. */
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
