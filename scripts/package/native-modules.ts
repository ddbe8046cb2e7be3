/** node_modules with the packages that the program loads as they are, for a kind of machine other than this one too. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nativePackages } from "../packages-in-bundles.ts";
import { type Machine, machines } from "./machines.ts";

const root = join(import.meta.dirname, "../..");

type Packages = Readonly<Record<string, object>>;

/** From npm's registry the first time, each archive with the hash that package-lock.json has of it. Returns the path. */
export function fetchNativeModules(machine: Machine): string {
  const lock = lockOfNative();
  const key = createHash("sha256").update(lock).digest("hex").slice(0, 16);
  const directory = join(root, `.cache/native-${machine}-${key}`);
  if (existsSync(directory)) return join(directory, "node_modules");
  const unfinished = `${directory}.part`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  const { packages } = JSON.parse(lock) as { packages: Packages };
  writeFileSync(join(unfinished, "package.json"), JSON.stringify(packages[""]));
  writeFileSync(join(unfinished, "package-lock.json"), lock);
  const target = ["--os=linux", `--cpu=${machines[machine].cpu}`, "--libc=glibc"];
  execFileSync("npm", ["ci", ...target, "--ignore-scripts", "--no-progress", "--loglevel=error"], {
    cwd: unfinished,
    stdio: ["ignore", "ignore", "inherit"],
  });
  renameSync(unfinished, directory);
  return join(directory, "node_modules");
}

/** The checkout's package-lock.json, with nothing but the native packages. */
function lockOfNative(): string {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as { packages: Packages };
  const { dependencies = {} } = lock.packages[""] as { dependencies?: Readonly<Record<string, string>> };
  const wanted = Object.entries(dependencies).filter(([name]) => nativePackages.includes(name));
  const paths = Object.entries(lock.packages).filter(([path]) =>
    nativePackages.some((name) => path.startsWith(`node_modules/${name}`)),
  );
  const own = { name: "native-modules", version: "0.0.0", dependencies: Object.fromEntries(wanted) };
  return JSON.stringify({ ...lock, ...own, packages: { "": own, ...Object.fromEntries(paths) } });
}
