/** The package of the pinned Node. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { billOfMaterials, type Component } from "../build/bill-of-materials.ts";
import { type DebianPackage, fileName, pack } from "./deb.ts";
import { runtimeCopyright } from "./licences.ts";
import type { Machine } from "./machines.ts";
import { debianFile, emptyTree, finish, newestLibc, put, work } from "./trees.ts";

const root = join(import.meta.dirname, "../..");
const name = "steward-runtime";
const changelog = (): string => debianFile(`${name}.changelog`);

/** Packing takes a minute for each machine, so a package is kept until what it is made of changes. */
export function packRuntime(machine: Machine, into: string): string {
  const { version, date } = release();
  const tree = emptyTree(`${name}-${machine}`);
  layOut(tree, pinnedRuntime(machine));
  const words = { libc: newestLibc(tree) };
  const one: DebianPackage = { name, architecture: machine, version, date, words };
  const kept = join(work, `kept-${contentOf(tree)}`);
  if (!existsSync(join(kept, fileName(one)))) {
    mkdirSync(kept, { recursive: true });
    pack(one, tree, kept);
  }
  copyFileSync(join(kept, fileName(one)), join(into, fileName(one)));
  return join(into, fileName(one));
}

/** The newest entry of its changelog, which must be that of the pinned version. */
function release(): { version: string; date: number } {
  const [, version = ""] = /^steward-runtime \(([^)]+)\)/.exec(changelog()) ?? [];
  const [, date = ""] = /^ -- .*> {2}(.*)$/m.exec(changelog()) ?? [];
  const pinned = /^version=(.*)$/m.exec(readFileSync(join(root, "scripts/runtime.sh"), "utf8"))?.[1];
  if (version.startsWith(`${pinned}-`)) return { version, date: Date.parse(date) / 1_000 };
  throw new Error(
    `scripts/runtime.sh pins Node ${pinned}, and debian/${name}.changelog begins with ${version}: add an entry for ${pinned}-1`,
  );
}

/** The path of the pinned Node for a kind of machine; without one, for this machine. */
export function pinnedRuntime(machine?: Machine): string {
  const words = [join(root, "scripts/runtime.sh"), ...(machine === undefined ? [] : [machine])];
  return execFileSync("sh", words, { cwd: root, encoding: "utf8" }).trim();
}

function layOut(tree: string, node: string): void {
  const { version, date } = release();
  mkdirSync(join(tree, "usr/lib/steward/bin"), { recursive: true });
  cpSync(node, join(tree, "usr/lib/steward/bin/node"));
  const documents = `usr/share/doc/${name}`;
  const subject = { name, version, date: new Date(date * 1_000).toISOString() };
  put(tree, `${documents}/copyright`, runtimeCopyright(join(dirname(node), "..")));
  put(tree, `${documents}/changelog.Debian`, changelog());
  put(tree, `${documents}/sbom.cdx.json`, billOfMaterials(subject, parts()));
  finish(tree, name, ["usr/lib/steward/bin/node"]);
}

/** The libraries in it, as it names them; what else it names are versions of interfaces and of data. */
function parts(): Component[] {
  const text = execFileSync(pinnedRuntime(), ["--print", "JSON.stringify(process.versions)"], {
    encoding: "utf8",
  });
  const { node = "", ...versions } = JSON.parse(text) as Record<string, string>;
  const data = ["modules", "napi", "unicode", "cldr", "tz"];
  const libraries = Object.entries(versions).filter(([name]) => !data.includes(name));
  return [["node", node] as const, ...libraries].map(([name, version]) => ({
    ...{ name, version, purl: `pkg:generic/${name}@${version}` },
  }));
}

/** A hash of a tree, and of what its control file is made of. */
function contentOf(tree: string): string {
  const hash = createHash("sha256").update(debianFile("control"));
  for (const entry of readdirSync(tree, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    hash.update(`${path}\0`).update(readFileSync(path));
  }
  return hash.digest("hex").slice(0, 16);
}
