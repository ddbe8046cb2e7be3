import { createHash } from "node:crypto";
import type Koa from "koa";
import { sendCoded } from "./content-codings.ts";
import { requireReading } from "./static-files.ts";

/** The address of the maker's mark; the greeting says whether there is one. */
const markPath = "/maker-mark";

/**
 * The console shows it only as a picture, in which nothing runs. Opened as a page, an SVG file is a document: it has no
 * origin then, runs no script, and fetches nothing.
 */
const policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox";

/**
 * Serves the mark of the product's maker, which is shown before anyone has signed in. `read`: its bytes and their media
 * type, the same at each call; null: there is none. False: the request is for something else, or there is none.
 */
export function createMakerMark(
  read: () => Promise<{ readonly bytes: Buffer; readonly type: string } | null>,
): (ctx: Koa.Context) => Promise<boolean> {
  return async (ctx) => {
    if (ctx.path !== markPath) return false;
    const mark = await read();
    if (mark === null) return false;
    requireReading(ctx.method);
    const etag = `"${createHash("sha256").update(mark.bytes).digest("base64url").slice(0, 22)}"`;
    ctx.set({ "Content-Security-Policy": policy, "Cache-Control": "no-cache" });
    sendCoded(ctx, { bytes: mark.bytes, etag, coding: "identity" }, mark.type);
    return true;
  };
}
