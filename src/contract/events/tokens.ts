import { duration } from "../durations.ts";
import { scopeNames } from "../scopes.ts";
import { username } from "../shapes.ts";
import { type EventRows, flag, security, sometimes, text, texts } from "./row.ts";

/** API tokens. */
export const tokenEvents = {
  "token.created": {
    ...security,
    stale: ["tokens"],
    details: {
      scopes: { type: "array", items: { type: "string", enum: scopeNames } },
      owner: username,
      is_fleet: sometimes(flag),
      sources: sometimes({ ...texts, description: "ranges that the token counts from" }),
    },
  },
  "token.rotated": { ...security, stale: ["tokens"], details: { owner: username, overlap: duration } },
  "token.resumed": { ...security, stale: ["tokens"], details: { owner: username } },
  "token.deleted": { ...security, stale: ["tokens"], details: {} },
  "token.tolerated": { ...security, stale: ["tokens"], details: { operation: text } },
} as const satisfies EventRows;
