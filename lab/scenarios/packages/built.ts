/** The packages that the scenarios install: of this checkout, and of it as other versions. Built on the host. */
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { arch } from "node:os";
import { join } from "node:path";
import type { Scenario } from "../../machines/scenario.ts";

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

/** Puts them into the machine, as they are named with `isNamed`, or without their versions, which differ from day to day. */
export const putPackages =
  (which: Which, isNamed = false) =>
  (directory: string): void => {
    for (const file of readdirSync(join(cache, which)).filter((one) => one.endsWith(".deb")))
      copyFileSync(join(cache, which, file), join(directory, isNamed ? file : `${file.split("_")[0]}.deb`));
  };

/** The folders of these under /root, and what builds them. */
export const packagesIn = (...wanted: readonly Which[]): Pick<Scenario, "prepare" | "folders"> => ({
  prepare: packagesOf(...wanted),
  folders: Object.fromEntries(wanted.map((which) => [`/root/${which}`, putPackages(which)])),
});

/** Puts what `make package` leaves in dist-packages/ into the machine: the packages as they are named, and their tests. */
export function putDistribution(directory: string): void {
  cpSync(join(cache, "now"), directory, { recursive: true });
}

/** Puts the files of an earlier `make install` into the machine. */
export async function putOlderInstallation(directory: string): Promise<void> {
  const { install } = await import("../../../scripts/install/files.ts");
  await install({ destination: directory, prefix: "/usr" });
}
