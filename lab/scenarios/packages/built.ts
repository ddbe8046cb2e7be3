/** The packages that the scenarios install: of this checkout, and of it as other versions. Built on the host. */
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { arch } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../..");
const cache = join(root, ".cache/system-test-packages");

/** The version of this checkout, the one after it, or another. */
type Which = "now" | "next" | `${number}.${number}.${number}`;

const builds = new Map<Which, Promise<void>>();

/** Each is built once for all scenarios of a run. */
export const packagesOf =
  (...wanted: readonly Which[]) =>
  async (): Promise<void> => {
    for (const which of wanted) {
      const building = builds.get(which) ?? build(which);
      builds.set(which, building);
      await building;
    }
  };

export const buildPackages = packagesOf("now", "next");

async function build(which: Which): Promise<void> {
  const { makePackages } = await import("../../../scripts/package/packages.ts");
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  const next = version.replace(/\d+$/, (patch) => String(Number(patch) + 1));
  const into = join(cache, which);
  rmSync(into, { recursive: true, force: true });
  mkdirSync(into, { recursive: true });
  const machine = arch() === "arm64" ? "arm64" : "amd64";
  await makePackages({ for: [machine], version: { now: version, next }[which as string] ?? which, into });
}

/**
 * Builds the packages of an earlier commit from its own sources and dependencies, as version 0.0.1. Both, and its runtime,
 * come from the registry, which is not reached once a machine is being prepared.
 */
export function buildFormerPackages(commit: string): void {
  const [into, sources] = [join(cache, commit), join(cache, `${commit}-sources`)];
  if (!existsSync(into)) buildFormer(commit, { into, sources });
}

/** Puts them into the machine. */
export const putFormerPackages =
  (commit: string) =>
  (directory: string): void => {
    const into = join(cache, commit);
    for (const file of readdirSync(into).filter((one) => one.endsWith(".deb")))
      copyFileSync(join(into, file), join(directory, `${file.split("_")[0]}.deb`));
  };

function buildFormer(commit: string, { into, sources }: { into: string; sources: string }): void {
  rmSync(sources, { recursive: true, force: true });
  execFileSync("git", ["clone", "--quiet", "--shared", "--no-checkout", root, sources]);
  execFileSync("git", ["-C", sources, "checkout", "--quiet", commit]);
  symlinkSync(join(root, ".cache"), join(sources, ".cache"));
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: sources,
  });
  const made = `${into}.new`;
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made, { recursive: true });
  const wanted = { for: [arch() === "arm64" ? "arm64" : "amd64"], version: "0.0.1", into: made };
  const program = `(await import("./scripts/package/packages.ts")).makePackages(${JSON.stringify(wanted)})`;
  execFileSync(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", `await ${program}`], {
    cwd: sources,
  });
  renameSync(made, into);
  rmSync(sources, { recursive: true });
}

/** Puts them into the machine as they are named, each with its version. */
export const putNamedPackages =
  (name: Which) =>
  (directory: string): void => {
    for (const file of readdirSync(join(cache, name)).filter((one) => one.endsWith(".deb")))
      copyFileSync(join(cache, name, file), join(directory, file));
  };

/** Puts them into the machine without their versions in their names, which differ from day to day. */
export const putPackages =
  (name: Which) =>
  (directory: string): void => {
    for (const file of readdirSync(join(cache, name)).filter((one) => one.endsWith(".deb")))
      copyFileSync(join(cache, name, file), join(directory, `${file.split("_")[0]}.deb`));
  };

/** Puts what `make package` leaves in dist-packages/ into the machine: the packages as they are named, and their tests. */
export function putDistribution(directory: string): void {
  cpSync(join(cache, "now"), directory, { recursive: true });
}

/** Puts the files of an earlier `make install` into the machine. */
export async function putOlderInstallation(directory: string): Promise<void> {
  const { install } = await import("../../../scripts/install/files.ts");
  await install({ destination: directory, prefix: "/usr" });
}
