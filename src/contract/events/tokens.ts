import { duration } from "../durations.ts";
import { scopeNames } from "../scopes.ts";
import { timestamp, username } from "../shapes.ts";
import { type EventRows, flag, security, sometimes, text, texts } from "./row.ts";

export const tokenEvents = {
  "token.created": security("of_lasting_right", ["tokens"], {
    scopes: { type: "array", items: { type: "string", enum: scopeNames } },
    owner: username,
    is_fleet: sometimes(flag),
    sources: sometimes({ ...texts, description: "ranges that the token counts from" }),
    pages: sometimes({ ...texts, description: "pages of the product that the token counts at" }),
    ends_at: sometimes({ ...timestamp, description: "absent: it has no end" }),
  }),
  "token.rotated": security("never", ["tokens"], { owner: username, overlap: duration }),
  "token.resumed": security("always", ["tokens"], { owner: username }),
  "token.deleted": security("never", ["tokens"], {}),
  "token.tolerated": security("never", ["tokens"], { operation: text }),
} as const satisfies EventRows;
