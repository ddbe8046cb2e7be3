import type Koa from "koa";
import { readOnce, sendCoded } from "./content-codings.ts";
import { requireReading } from "./static-files.ts";

/** The address of the maker's mark; the greeting says whether there is one. */
const markPath = "/maker-mark";

/**
 * The console shows it only as a picture, in which nothing runs. Opened as a page, an SVG file is a document: it has no
 * origin then, runs no script, and fetches nothing.
 */
const policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox";

/**
 * Serves the mark of the product's maker, which is shown before anyone has signed in. `file`: its path on the device, .svg
 * or .png; null: there is none. False: the request is for something else, or the file is gone.
 */
export function createMakerMark(file: string | null): (ctx: Koa.Context) => Promise<boolean> {
  return async (ctx) => {
    if (file === null || ctx.path !== markPath) return false;
    requireReading(ctx.method);
    const content = await readOnce(file);
    if (content === null) return false;
    ctx.set({ "Content-Security-Policy": policy, "Cache-Control": "no-cache" });
    const type = file.endsWith(".png") ? "image/png" : "image/svg+xml";
    sendCoded(ctx, { ...content, coding: "identity" }, type);
    return true;
  };
}
