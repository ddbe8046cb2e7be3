/** The package of the pinned Node. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { billOfMaterials, type Component } from "../build/bill-of-materials.ts";
import { pinnedRuntime, pinnedVersion } from "../runtimes.ts";
import { type DebianPackage, fileName, pack } from "./deb.ts";
import { runtimeCopyright } from "./licences.ts";
import { emulation, type Machine } from "./machines.ts";
import { debianFile, emptyTree, finish, newestLibc, put, work } from "./trees.ts";

const name = "steward-runtime";

/** Packing takes a minute for each machine, so a package is kept until what it is made of changes. */
export function packRuntime(machine: Machine, into: string): string {
  const own = release(debianFile(`${name}.changelog`), pinnedVersion("lts", machine));
  const tree = emptyTree(`${name}-${machine}`);
  const node = pinnedRuntime("lts", machine);
  layOut(tree, { node, machine, own });
  const words = { libc: newestLibc(tree), libraries: packagesOfLibraries(node).join(", ") };
  const one: DebianPackage = { name, architecture: machine, ...own, words };
  const kept = join(work, `kept-${contentOf(tree)}`);
  if (!existsSync(join(kept, fileName(one)))) {
    mkdirSync(kept, { recursive: true });
    pack(one, tree, kept);
  }
  copyFileSync(join(kept, fileName(one)), join(into, fileName(one)));
  return join(into, fileName(one));
}

/** The entry of a version, with those before it: kinds of machines can have different versions. */
export function release(changelog: string, pinned: string): { version: string; date: number; text: string } {
  const entries = changelog.split(/^(?=steward-runtime \()/m);
  const newest = entries.findIndex((entry) => entry.startsWith(`${name} (${pinned}-`));
  const text = entries.slice(newest).join("");
  const [, version = ""] = /\(([^)]+)\)/.exec(text) ?? [];
  const [, date = ""] = /^ -- .*> {2}(.*)$/m.exec(text) ?? [];
  if (newest >= 0) return { version, date: Date.parse(date) / 1_000, text };
  const lacking = `debian/${name}.changelog has no entry: add one for ${pinned}-1`;
  throw new Error(`scripts/runtimes pins Node ${pinned}, for which ${lacking}`);
}

function layOut(
  tree: string,
  { node, machine, own }: { node: string; machine: Machine; own: ReturnType<typeof release> },
): void {
  mkdirSync(join(tree, "usr/lib/steward/bin"), { recursive: true });
  cpSync(node, join(tree, "usr/lib/steward/bin/node"));
  const documents = `usr/share/doc/${name}`;
  const subject = { name, version: own.version, date: new Date(own.date * 1_000).toISOString() };
  put(tree, `${documents}/copyright`, runtimeCopyright(join(dirname(node), "..")));
  put(tree, `${documents}/changelog.Debian`, own.text);
  put(tree, `${documents}/sbom.cdx.json`, billOfMaterials(subject, parts([...emulation(machine), node])));
  finish(tree, name, ["usr/lib/steward/bin/node"]);
}

/** The libraries in it, as it names them; what else it names are versions of interfaces and of data. */
function parts([command = "", ...before]: readonly string[]): Component[] {
  const script = "JSON.stringify([process.release.lts, process.versions])";
  const text = execFileSync(command, [...before, "--print", script], { encoding: "utf8" });
  const [lts, { node = "", ...versions }] = JSON.parse(text) as [string | null, Record<string, string>];
  if (lts === null) throw new Error(`Node ${node} does not say that it is of an LTS line`);
  const data = ["modules", "napi", "unicode", "cldr", "tz"];
  const libraries = Object.entries(versions).filter(([name]) => !data.includes(name));
  return [["node", node] as const, ...libraries].map(([name, version]) => ({
    ...{ name, version, purl: `pkg:generic/${name}@${version}` },
  }));
}

/** Debian's packages with the libraries that a Node is linked against. libc6 is apart, with its version. */
const packageOf: Readonly<Record<string, string>> = {
  "libatomic.so.1": "libatomic1",
  "libgcc_s.so.1": "libgcc-s1",
  "libstdc++.so.6": "libstdc++6",
};
const ofLibc = /^(libc|libdl|libm|libpthread|librt|ld-linux-.*)\.so\.\d+$/;

/** Throws for a library that no package is known for: without it the device's Node would not start. */
function packagesOfLibraries(node: string): string[] {
  const text = execFileSync("readelf", ["--dynamic", "--wide", node], { encoding: "utf8" });
  const libraries = [...text.matchAll(/\(NEEDED\).*\[(.*)\]/g)].map(([, library = ""]) => library);
  return libraries
    .filter((library) => !ofLibc.test(library))
    .map((library) => {
      const found = packageOf[library];
      if (found === undefined) throw new Error(`no package is known for ${library}, which Node needs`);
      return found;
    })
    .sort();
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
