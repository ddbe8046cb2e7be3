/** Makes one Debian package out of a tree of files: the same bytes from the same files, for every builder and place. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

export interface DebianPackage {
  readonly name: string;
  /** amd64, arm64 or all. */
  readonly architecture: string;
  readonly version: string;
  /** Seconds since 1970: the date of all its files. */
  readonly date: number;
  /** These replace `${NAME}` and `@NAME@` in its files of debian/. */
  readonly words: Readonly<Record<string, string>>;
}

const sources = join(import.meta.dirname, "debian");
const scripts = ["preinst", "postinst", "prerm", "postrm"];

export const fileName = ({ name, version, architecture }: DebianPackage): string =>
  `${name}_${version}_${architecture}.deb`;

/** Packs `tree`, in which it puts DEBIAN/; returns the path of the package in `directory`. */
export function pack(one: DebianPackage, tree: string, directory: string): string {
  const control = join(tree, "DEBIAN");
  rmSync(control, { recursive: true, force: true });
  const files = below(tree).filter((path) => !lstatSync(join(tree, path)).isDirectory());
  mkdirSync(control);
  writeFileSync(join(control, "control"), controlFile(one, installedSize(tree, files)));
  writeFileSync(join(control, "md5sums"), files.flatMap((path) => checksum(tree, path)).join(""));
  for (const name of [...scripts, "triggers"]) {
    const source = join(sources, `${one.name}.${name}`);
    if (!existsSync(source)) continue;
    const text = readFileSync(source, "utf8").replace(/@(\w+)@/g, (_, word: string) => wordOf(one, word));
    writeFileSync(join(control, name), text);
    chmodSync(join(control, name), scripts.includes(name) ? 0o755 : 0o644);
    // A fault there would be found on the device, in the middle of an upgrade.
    if (scripts.includes(name)) execFileSync("sh", ["-n", join(control, name)]);
  }
  chmodSync(control, 0o755);
  for (const name of ["control", "md5sums"]) chmodSync(join(control, name), 0o644);
  for (const path of [...below(tree), "."]) lutimesSync(join(tree, path), one.date, one.date);
  const packed = join(directory, fileName(one));
  execFileSync("dpkg-deb", ["--root-owner-group", "-Zxz", "--threads-max=2", "--build", tree, packed], {
    env: { ...process.env, SOURCE_DATE_EPOCH: String(one.date) },
    stdio: ["ignore", "ignore", "inherit"],
  });
  return packed;
}

function wordOf({ name, words }: DebianPackage, word: string): string {
  const found = words[word];
  if (found === undefined)
    throw new Error(`${name}: its files of debian/ name "${word}", which has no value`);
  return found;
}

/** Its part of debian/control, with what is known once it is built. */
function controlFile(one: DebianPackage, size: number): string {
  const [source = "", ...packages] = readFileSync(join(sources, "control"), "utf8").trim().split(/\n\n+/);
  const own = packages.find((text) => text.startsWith(`Package: ${one.name}\n`));
  if (own === undefined) throw new Error(`debian/control has no package ${one.name}`);
  const inherited = source.split("\n").filter((line) => /^(Section|Priority|Maintainer):/.test(line));
  const ofPackage = own
    .replace(/^Architecture: .*$/m, `Architecture: ${one.architecture}`)
    .replace(/\$\{(\w+)\}/g, (_, word: string) => wordOf(one, word));
  const [name = "", ...rest] = ofPackage.split("\n");
  const sourceName = one.name === "steward" ? [] : ["Source: steward"];
  const built = [`Version: ${one.version}`, `Installed-Size: ${size}`];
  return `${[name, ...sourceName, ...built, ...inherited, ...rest].join("\n")}\n`;
}

/** In KiB, as dpkg-gencontrol estimates it: each file in whole ones, and one for each directory. */
function installedSize(tree: string, files: readonly string[]): number {
  const ofFiles = files
    .map((path) => lstatSync(join(tree, path)))
    .map((stat) => (stat.isFile() ? Math.ceil(stat.size / 1024) : 1));
  return ofFiles.reduce((sum, size) => sum + size, 0) + below(tree).length - files.length;
}

function checksum(tree: string, path: string): string[] {
  if (!lstatSync(join(tree, path)).isFile()) return [];
  const hash = createHash("md5").update(readFileSync(join(tree, path)));
  return [`${hash.digest("hex")}  ${path}\n`];
}

/** Every path below a tree, in an order that depends on nothing. */
function below(tree: string): string[] {
  return readdirSync(tree, { recursive: true, encoding: "utf8" }).sort();
}
