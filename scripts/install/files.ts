import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { makeCodeCaches, removeCodeCaches } from "../build/code-cache.ts";

const root = join(import.meta.dirname, "../..");

/** The program is installed here. */
export interface Place {
  /** This begins each path, as for a package: an empty directory, or `/` for this machine. */
  readonly destination: string;
  /** `/usr`, which systemd/ is written for, or such as `/usr/local`. */
  readonly prefix: string;
}

/** The one who installs it decides these. */
export interface Choices {
  /** A Node to bring along, where the machine's own is too old. */
  readonly runtime?: string | undefined;
  /** False: Steward measures the clock of this machine and does not set it. True by default. */
  readonly isTimekeeper?: boolean;
  /** Default: the checkout's own. */
  readonly build?: Build;
}

/** A build, and the node_modules with what it does not bundle. */
export interface Build {
  readonly dist: string;
  readonly nodeModules: string;
}

const ofCheckout: Build = { dist: join(root, "dist"), nodeModules: join(root, "node_modules") };

/** The files of systemd/ belong here below the prefix, by their endings. The launcher is beside the program. */
const places: readonly (readonly [endings: RegExp, directory: string, ending?: string])[] = [
  [/\.(service|socket|timer|slice)$/, "lib/systemd/system"],
  [/\.preset$/, "lib/systemd/system-preset"],
  [/\.sysusers$/, "lib/sysusers.d", ".conf"],
  [/\.tmpfiles$/, "lib/tmpfiles.d", ".conf"],
];

/** The drop-in with the right to set the clock. Its number lets an administrator's own, such as override.conf, come after it. */
export const timekeeperDropIn = "lib/systemd/system/steward.service.d/10-timekeeper.conf";

/** Drop-ins by their files in systemd/: of the agent's unit, and of the journal namespace of audit lines. */
const dropIns: Readonly<Record<string, string>> = {
  "steward-timekeeper.conf": timekeeperDropIn,
  "journald@steward.conf": "lib/systemd/journald@steward.conf.d/steward.conf",
  "systemd-journald@steward.service.conf":
    "lib/systemd/system/systemd-journald@steward.service.d/steward.conf",
  "systemd-journald@steward.socket.conf": "lib/systemd/system/systemd-journald@steward.socket.d/steward.conf",
};

/**
 * The polkit rule of earlier versions: it let the agent start units, which the root helper does now. In /etc for another
 * prefix, or by hand.
 */
const formerRules = ["share/polkit-1/rules.d", "/etc/polkit-1/rules.d"];

/** A shell and man(1) look for these outside of the program's directory. The keys say where the build puts them. */
const shellFiles: Readonly<Record<string, string>> = {
  "completion/steward.bash": "share/bash-completion/completions/steward",
  "completion/steward.fish": "share/fish/vendor_completions.d/steward.fish",
  "completion/steward.zsh": "share/zsh/vendor-completions/_steward",
  "man/steward.8": "share/man/man8/steward.8",
  "man/steward.json.5": "share/man/man5/steward.json.5",
  "man/steward-rescue.7": "share/man/man7/steward-rescue.7",
};

/**
 * Puts the program, its launcher and what systemd has of it where they belong; what an earlier
 * version left in the program's directory, and its polkit rule, go. Everything is readable for everybody and writable for its owner, who is
 * the caller.
 */
export async function install(place: Place, choices: Choices = {}): Promise<void> {
  const { isTimekeeper = true, build = ofCheckout } = choices;
  const umask = process.umask(0o022);
  try {
    await replaceProgram(place, build, choices.runtime);
    const link = join(place.destination, place.prefix, "bin/steward");
    mkdirSync(dirname(link), { recursive: true });
    rmSync(link, { force: true });
    symlinkSync("../lib/steward/steward", link);
    for (const { path, text } of files(place, build)) {
      const isLeftOut = path.endsWith(timekeeperDropIn) && !isTimekeeper;
      if (!isLeftOut) mkdirSync(dirname(path), { recursive: true });
      // Never through a file that is there: an old one may be a link, or closed to readers.
      rmSync(path, { force: true });
      if (!isLeftOut) writeFileSync(path, text());
    }
    removeFormerRules(place);
  } finally {
    process.umask(umask);
  }
}

/** Takes away what `install` puts there. State, releases and what root has decided stay. */
export function uninstall(place: Place): void {
  rmSync(join(place.destination, place.prefix, "lib/steward"), { recursive: true, force: true });
  rmSync(join(place.destination, place.prefix, "bin/steward"), { force: true });
  for (const { path } of files(place)) rmSync(path, { force: true });
  removeFormerRules(place);
}

function removeFormerRules({ destination, prefix }: Place): void {
  for (const directory of formerRules) {
    const absolute = directory.startsWith("/") ? directory : join(prefix, directory);
    rmSync(join(destination, absolute, "50-steward.rules"), { force: true });
  }
}

/** Copies a build with what it does not bundle, as the program's directory and releases of Steward have it. */
export function putProgram(dist: string, home: string, nodeModules = ofCheckout.nodeModules): void {
  if (!existsSync(join(dist, "main.js")))
    throw new Error(`there is no program in ${dist}: run \`make build\``);
  cpSync(dist, home, { recursive: true });
  for (const name of ["@node-rs/argon2", ...nativeParts(nodeModules), "node-ntp-client"]) {
    const filter = (path: string): boolean => !forDevelopers.test(relative(nodeModules, path));
    cpSync(join(nodeModules, name), join(home, "node_modules", name), { recursive: true, filter });
  }
  makeReadable(home);
}

/** A package brings these for those who work with it or on it. */
const forDevelopers = /\.(md|d\.ts|sublime-project)$|\/(browser|Gruntfile)\.js$|\/(bin|test|\.\w+)$/;

/** The packages with argon2's native code; npm has installed those that are for this kind of machine. */
function nativeParts(nodeModules: string): string[] {
  const found = readdirSync(join(nodeModules, "@node-rs")).filter((name) => name.startsWith("argon2-"));
  if (found.length === 0)
    throw new Error("node_modules has no argon2 for this kind of machine: run `npm ci`");
  return found.map((name) => `@node-rs/${name}`);
}

/** In one step, as far as that goes: a running agent reads its parts when they are first needed. */
async function replaceProgram(place: Place, build: Build, runtime: string | undefined): Promise<void> {
  const home = join(place.destination, place.prefix, "lib/steward");
  const [next, former] = [`${home}.new`, `${home}.old`];
  rmSync(next, { recursive: true, force: true });
  rmSync(former, { recursive: true, force: true });
  mkdirSync(dirname(home), { recursive: true });
  putProgram(build.dist, next, build.nodeModules);
  writeFileSync(join(next, "steward"), forPrefix("steward.launcher", place.prefix), { mode: 0o755 });
  if (runtime !== undefined) {
    cpSync(runtime, join(next, "bin/node"));
    chmodSync(join(next, "bin/node"), 0o755);
  } else if (existsSync(join(home, "bin"))) {
    renameSync(join(home, "bin"), join(next, "bin"));
  }
  if (existsSync(join(next, "bin/node"))) await makeOwnCodeCaches(next);
  if (existsSync(home)) renameSync(home, former);
  renameSync(next, home);
  rmSync(former, { recursive: true, force: true });
}

/**
 * The code caches of the build are for the V8 that has built it. A runtime that is brought along makes its own; one for
 * another kind of machine cannot run here, and the program is compiled at each of its starts.
 */
async function makeOwnCodeCaches(home: string): Promise<void> {
  await makeCodeCaches(home, join(home, "bin/node")).catch(() => removeCodeCaches(home));
}

/** The single files: from systemd/, what the build makes of the command line for shells and man(1), and what web servers include. */
function files({ destination, prefix }: Place, { dist }: Build = ofCheckout) {
  const ofBuild = Object.entries(shellFiles).map(([built, path]) => ({
    path: join(destination, prefix, path),
    text: () => readFileSync(join(dist, built), "utf8"),
  }));
  const names = readdirSync(join(root, "systemd")).filter((name) => name !== "steward.launcher");
  const units = names.map((name) => ({
    path: join(destination, pathOf(name, prefix)),
    text: () => forPrefix(name, prefix),
  }));
  const snippets = readdirSync(join(root, "scripts/proxies")).map((name) => ({
    path: join(destination, prefix, "share/steward", name),
    text: () => readFileSync(join(root, "scripts/proxies", name), "utf8"),
  }));
  return [...units, ...ofBuild, ...snippets];
}

function pathOf(name: string, prefix: string): string {
  const dropIn = dropIns[name];
  if (dropIn !== undefined) return join(prefix, dropIn);
  const found = places.find(([endings]) => endings.test(name));
  if (!found) throw new Error(`systemd/${name}: scripts/install/files.ts does not say where it belongs`);
  const [endings, directory, ending] = found;
  return join(prefix, directory, ending ? name.replace(endings, ending) : name);
}

/** A file of systemd/ with the program's directory as it is under this prefix. */
function forPrefix(name: string, prefix: string): string {
  const text = readFileSync(join(root, "systemd", name), "utf8");
  return text.replaceAll("/usr/lib/steward", join(prefix, "lib/steward"));
}

/** Whatever the modes in the checkout are: programs 755, other files 644, directories 755. */
function makeReadable(directory: string): void {
  chmodSync(directory, 0o755);
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) makeReadable(path);
    else chmodSync(path, isProgram(path) ? 0o755 : 0o644);
  }
}

function isProgram(path: string): boolean {
  if (/\/steward-(helper|logs)$/.test(path)) return true;
  return /\/(main|installer)\.js$/.test(path) && readFileSync(path, "utf8").startsWith("#!");
}
