import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import type Koa from "koa";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Nothing from elsewhere, nothing inline, in no frame. */
const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Serves the files of the console. Only names found at the start are served, so no path can lead elsewhere. */
export function createStaticFiles(directory: string): (ctx: Koa.Context) => Promise<boolean> {
  const tags = new Map(
    readdirSync(directory).map((name) => {
      const digest = createHash("sha256")
        .update(readFileSync(join(directory, name)))
        .digest("base64url");
      return [`/${name}`, `"${digest.slice(0, 22)}"`];
    }),
  );
  return async (ctx) => {
    const path = ctx.path === "/" ? "/index.html" : ctx.path;
    const tag = tags.get(path);
    if (tag === undefined || (ctx.method !== "GET" && ctx.method !== "HEAD")) return false;
    ctx.set("Content-Security-Policy", contentSecurityPolicy);
    ctx.set("Cache-Control", "no-cache");
    ctx.set("ETag", tag);
    ctx.status = 200;
    if (ctx.fresh) ctx.status = 304;
    else {
      ctx.body = await readFile(join(directory, path));
      ctx.set("Content-Type", types[extname(path)] ?? "application/octet-stream");
    }
    return true;
  };
}
