import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { extname } from "node:path";
import type Koa from "koa";
import { StewardError } from "../../contract/errors.ts";
import { consolePaths } from "../../contract/schemas/console.ts";
import { providerReturnPath } from "../../contract/shapes.ts";
import { readCoded, readOnce, sendCoded } from "./content-codings.ts";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".json": "application/json",
};

/**
 * Allows nothing from other origins, nothing inline except the page's own script and style, no frames, and no text run
 * as a script; `blob:` is for QR codes, `data:` for the window's icon.
 */
function policyWith(scripts: string, styles: string): string {
  return [
    "default-src 'none'",
    `script-src 'self'${scripts}`,
    `style-src 'self'${styles}`,
    "img-src 'self' blob: data:",
    ...["connect-src 'self'", "manifest-src 'self'", "base-uri 'none'", "form-action 'none'"],
    ...["frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"],
  ].join("; ");
}

/** The policy of the page, which allows its inline parts by their hashes. */
function policyOf(page: Buffer): string {
  const hashesOf = (tag: string): string =>
    [...page.toString().matchAll(new RegExp(`<${tag}>([^]*?)</${tag}>`, "g"))]
      .map(([, text = ""]) => ` 'sha256-${createHash("sha256").update(text).digest("base64")}'`)
      .join("");
  return policyWith(hashesOf("script"), hashesOf("style"));
}

/** Features of browsers that the console does not need; it writes to the clipboard, scans fingerprints and asks for passkeys. */
const deniedFeatures = [
  ...["accelerometer", "autoplay", "clipboard-read", "display-capture", "encrypted-media"],
  ...["fullscreen", "geolocation", "gyroscope", "hid", "idle-detection", "magnetometer", "microphone"],
  ...["midi", "payment", "picture-in-picture"],
  ...["screen-wake-lock", "serial", "sync-xhr", "usb", "xr-spatial-tracking"],
];

/** Headers of every file, besides those of every answer. */
export const fileHeaders = {
  "Content-Security-Policy": policyWith("", ""),
  "Permissions-Policy": [
    ...deniedFeatures.map((name) => `${name}=()`),
    ...["camera=(self)", "clipboard-write=(self)"],
    ...["publickey-credentials-create=(self)", "publickey-credentials-get=(self)"],
  ].join(", "),
  "Cross-Origin-Opener-Policy": "same-origin",
} as const;

/** W3C, A Well-Known URL for Changing Passwords: password managers lead their users to the page by it. */
const changePasswordPath = "/.well-known/change-password";

/** The page of one user, or of the product, at any name: the page itself says that there is none. */
const namedPath = /^\/(users|product)\/[^/]+$/;

/** Names of files with this prefix contain a hash of their content. */
const unchangingPrefix = "/assets/";

/**
 * Serves the files of the console and the documents. Only names found at the first request are served, so no path can lead elsewhere. A
 * person who opens any other address gets the page with 404, which says so. False: the console has nothing at the path.
 */
export function createStaticFiles(
  directory: string,
  tellDocument: (ctx: Koa.Context) => void = () => undefined,
): (ctx: Koa.Context) => Promise<boolean> {
  let found: ReturnType<typeof findFiles> | undefined;
  let policy: string | undefined;
  return async (ctx) => {
    found ??= findFiles(directory);
    const { files, page, pages } = found;
    if (page && ctx.path === changePasswordPath) {
      requireReading(ctx.method);
      ctx.redirect("/account");
      return true;
    }
    const path = /^\/docs\/?$/.test(ctx.path) ? "/docs/index.html" : ctx.path;
    const known = namedPath.test(path) ? page : (pages.get(path) ?? files.get(path));
    const isMissing = known === undefined;
    const forms = isMissing && isOpenedByPerson(ctx) ? page : known;
    if (forms === undefined) return false;
    requireReading(ctx.method);
    const name = forms === page ? "/index.html" : path;
    const content = await readCoded(ctx, `${directory}${name}`, forms);
    if (content === null) return false;
    const isUnchanging = name.startsWith(unchangingPrefix);
    ctx.set(fileHeaders);
    if (forms === page) {
      const plain = policy === undefined ? await readOnce(`${directory}${name}`) : null;
      if (plain !== null) policy = policyOf(plain.bytes);
      if (policy !== undefined) ctx.set("Content-Security-Policy", policy);
    }
    // A part of the page's binding comes with it; a cache would give that to other programs' pages.
    const freshness = forms === page ? "no-store" : "no-cache";
    ctx.set("Cache-Control", isUnchanging ? "public, max-age=31536000, immutable" : freshness);
    if (forms === page) tellDocument(ctx);
    const type = types[extname(name)] ?? "application/octet-stream";
    sendCoded(ctx, content, type, isMissing ? 404 : 200);
    return true;
  };
}

function findFiles(directory: string) {
  const files = filesIn(directory);
  const page = files.get("/index.html");
  files.delete("/index.html");
  const pages = new Map(page && [...consolePaths, providerReturnPath].map((path) => [path as string, page]));
  return {
    /** The suffixes of each file's forms, by its path. */
    files,
    page,
    /** The page by the paths at which it is served: at /index.html it could not know its place. */
    pages,
  };
}

/** A browser opens an address outside the API: at one of the API a program is to read the problem. */
function isOpenedByPerson(ctx: Koa.Context): boolean {
  const isReading = ctx.method === "GET" || ctx.method === "HEAD";
  return isReading && !/^\/(api|assets)(\/|$)/.test(ctx.path) && ctx.get("accept").includes("text/html");
}

/** Paths are put together as text: join() and split() for each file would cost the idle agent 4 MiB. */
function filesIn(directory: string): Map<string, Set<string>> {
  const files = new Map<string, Set<string>>();
  const folders = ["/"];
  for (const folder of folders) {
    for (const entry of readdirSync(`${directory}${folder}`, { withFileTypes: true })) {
      if (entry.isDirectory()) folders.push(`${folder}${entry.name}/`);
      if (!entry.isFile()) continue;
      const [, name = "", suffix = ""] = /^(.*?)(\.br|\.gz)?$/s.exec(`${folder}${entry.name}`) ?? [];
      files.set(name, (files.get(name) ?? new Set()).add(suffix));
    }
  }
  return files;
}

/** Throws `method_not_allowed`. */
export function requireReading(method: string): void {
  if (method === "GET" || method === "HEAD") return;
  const allow = ["GET", "HEAD"];
  throw new StewardError("method_not_allowed", `This path answers ${allow.join(", ")}, not ${method}.`, {
    details: { allow },
  });
}
