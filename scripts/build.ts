/** Builds dist/: the program, its lazily loaded parts, the facts worker, the list of common passwords, the console. */
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");

/**
 * koa needs the media types that it serves, and its mime-db brings 2,500: 287 KB of a 522 KB bundle, read at each
 * start. The agent sets Content-Type itself everywhere; these few are for koa's own look-ups.
 */
const fewMediaTypes: Plugin = {
  name: "few-media-types",
  setup: (esbuild) => {
    esbuild.onLoad({ filter: /mime-db\/db\.json$/ }, ({ path }) => {
      const all = JSON.parse(readFileSync(path, "utf8")) as Record<string, object>;
      const wanted = ["application/json", "application/octet-stream", "text/html", "text/plain"];
      const few = Object.fromEntries(wanted.map((type) => [type, all[type]]));
      return { contents: JSON.stringify(few), loader: "json" };
    });
  },
};

/**
 * koa asks of each body whether it is a Response; the first look at that global makes Node load its fetch, 3 MiB and
 * 8 ms. The agent never fetches, so a class that nothing is an instance of serves as well.
 */
const banner = `#!/usr/bin/env node
Object.defineProperty(globalThis,"Response",{value:class Response{},configurable:true,writable:true});
import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);`;

rmSync(dist, { recursive: true, force: true });
mkdirSync(join(dist, "console"), { recursive: true });
await build({
  entryPoints: { main: join(root, "src/main.ts"), "facts-worker": join(root, "src/system/facts-worker.ts") },
  outdir: dist,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  minify: true,
  keepNames: true,
  legalComments: "none",
  banner: { js: banner },
  define: { STEWARD_BUILD: JSON.stringify(stamp()) },
  // A native module, loaded from node_modules at the first sign-in.
  external: ["@node-rs/argon2"],
  plugins: [fewMediaTypes],
  logLevel: "warning",
});
chmodSync(join(dist, "main.js"), 0o755);
cpSync(join(root, "src/console"), join(dist, "console"), { recursive: true });
writeFileSync(join(dist, "common-passwords.txt"), commonPasswords().join("\n"));

/** Version of package.json; commit and date of the checkout, so that one commit always builds the same program. */
function stamp(): { version: string; commit: string | null; date: string | null } {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  try {
    const text = execFileSync("git", ["log", "-1", "--format=%H %ct"], {
      cwd: root,
      encoding: "utf8",
      stdio: "pipe",
    });
    const [commit = "", seconds = ""] = text.trim().split(" ");
    return { version, commit, date: new Date(Number(seconds) * 1_000).toISOString() };
  } catch {
    return { version, commit: null, date: null };
  }
}

function commonPasswords(): string[] {
  const index = createRequire(import.meta.url).resolve("@zxcvbn-ts/language-common");
  const list: unknown = JSON.parse(readFileSync(join(index, "../../src/passwords.json"), "utf8"));
  if (!Array.isArray(list) || list.length < 40_000)
    throw new Error("the list of common passwords is not what it was");
  return list.map((word) => String(word).toLowerCase());
}
