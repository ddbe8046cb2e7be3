import assert from "node:assert/strict";
import type { Answer } from "../running-agent.ts";

/** What a browser sends of itself from a page of this origin. */
export const ownPage = { "sec-fetch-site": "same-origin" };

/** The one Set-Cookie line of an answer, taken apart. Throws where there is none, or more. */
export function cookieOf({ headers }: Answer): { name: string; value: string; attributes: string[] } {
  const lines = [headers["set-cookie"] ?? []].flat();
  assert.equal(lines.length, 1, `one Set-Cookie, not ${lines.length}`);
  const [pair = "", ...attributes] = (lines[0] ?? "").split("; ");
  const [, name = "", value = ""] = /^([^=]+)=(.*)$/.exec(pair) ?? [];
  return { name, value, attributes };
}
