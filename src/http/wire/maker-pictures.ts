import { createHash } from "node:crypto";
import type Koa from "koa";
import { sendCoded } from "./content-codings.ts";
import { requireReading } from "./static-files.ts";

/** The console shows them as pictures only. Opened as a page an SVG has no origin, runs no script, fetches nothing. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox";

/** A picture's bytes and their media type, the same at each call; null: there is none. */
type Read = () => Promise<{ readonly bytes: Buffer; readonly type: string } | null>;

/**
 * Serves the pictures of the product's maker, which are shown before anyone has signed in; the greeting says which there
 * are. `reads`: by their addresses. False: the request is for something else, or for one that there is not.
 */
export function createMakerPictures(
  reads: Readonly<Record<string, Read>>,
): (ctx: Koa.Context) => Promise<boolean> {
  return async (ctx) => {
    const picture = Object.hasOwn(reads, ctx.path) ? await reads[ctx.path]?.() : undefined;
    if (!picture) return false;
    requireReading(ctx.method);
    const etag = `"${createHash("sha256").update(picture.bytes).digest("base64url").slice(0, 22)}"`;
    ctx.set({ "Content-Security-Policy": policy, "Cache-Control": "no-cache" });
    sendCoded(ctx, { bytes: picture.bytes, etag, coding: "identity" }, picture.type);
    return true;
  };
}
