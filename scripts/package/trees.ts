/** Trees of files that become packages. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** The packages are put together here. */
export const work = join(import.meta.dirname, "../../.cache/package");

/** The text of a file of debian/. */
export const debianFile = (name: string): string =>
  readFileSync(join(import.meta.dirname, "debian", name), "utf8");

export function emptyTree(name: string): string {
  const tree = join(work, name);
  rmSync(tree, { recursive: true, force: true });
  mkdirSync(tree, { recursive: true });
  return tree;
}

export function put(tree: string, path: string, text: string): void {
  mkdirSync(dirname(join(tree, path)), { recursive: true });
  writeFileSync(join(tree, path), text);
}

/** Does the same for each package: its overrides of lintian, compressed documents, and modes. */
export function finish(tree: string, name: string, programs: readonly string[] = []): void {
  putOverrides(tree, name);
  compress(tree);
  normalizeModes(tree, programs);
}

function putOverrides(tree: string, name: string): void {
  const file = `${name}.lintian-overrides`;
  if (existsSync(join(import.meta.dirname, "debian", file)))
    put(tree, `usr/share/lintian/overrides/${name}`, debianFile(file));
}

/** Manual pages and changelogs. By gzip(1), whose output is the same on every kind of machine. */
function compress(tree: string): void {
  for (const path of readdirSync(tree, { recursive: true, encoding: "utf8" }))
    if (/\/man\/man\d\/[^/]+\.\d$|\/changelog(\.Debian)?$/.test(path))
      execFileSync("gzip", ["--best", "--no-name", join(tree, path)]);
}

/** 755 for directories and programs, 644 for all else, whatever the umask is. */
function normalizeModes(tree: string, programs: readonly string[] = []): void {
  chmodSync(tree, 0o755);
  for (const entry of readdirSync(tree, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) chmodSync(path, 0o755);
  }
  for (const path of programs) chmodSync(join(tree, path), 0o755);
}

/** The newest symbols of the C library that the native code of a tree asks for. */
export function newestLibc(tree: string): string {
  const programs = readdirSync(tree, { recursive: true, encoding: "utf8" })
    .map((path) => join(tree, path))
    .filter((path) => lstatSync(path).isFile())
    .map((path) => readFileSync(path))
    .filter((bytes) => bytes.subarray(0, 4).toString("latin1") === "\x7fELF");
  const minors = programs.flatMap((bytes) =>
    [...bytes.toString("latin1").matchAll(/GLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor)),
  );
  if (minors.length === 0) throw new Error(`there is no native code in ${tree}`);
  return `2.${Math.max(...minors)}`;
}
