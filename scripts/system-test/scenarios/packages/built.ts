/** The packages that the scenarios install: of this checkout, and of the version after it. Built on the host. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { arch } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../../..");
const cache = join(root, ".cache/system-test-packages");

let building: Promise<void> | undefined;

/** Once for all scenarios of a run. */
export function buildPackages(): Promise<void> {
  building ??= build();
  return building;
}

async function build(): Promise<void> {
  const { makePackages } = await import("../../../package/packages.ts");
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  const next = version.replace(/\d+$/, (patch) => String(Number(patch) + 1));
  for (const [name, one] of [["now", version] as const, ["next", next] as const]) {
    rmSync(join(cache, name), { recursive: true, force: true });
    mkdirSync(join(cache, name), { recursive: true });
    const machine = arch() === "arm64" ? "arm64" : "amd64";
    await makePackages({ for: [machine], version: one, into: join(cache, name) });
  }
}

/** Puts them into the machine as they are named, each with its version. */
export const putNamedPackages =
  (name: "now" | "next") =>
  (directory: string): void => {
    for (const file of readdirSync(join(cache, name)).filter((one) => one.endsWith(".deb")))
      copyFileSync(join(cache, name, file), join(directory, file));
  };

/** Puts them into the machine without their versions in their names, which differ from day to day. */
export const putPackages =
  (name: "now" | "next") =>
  (directory: string): void => {
    for (const file of readdirSync(join(cache, name)).filter((one) => one.endsWith(".deb")))
      copyFileSync(join(cache, name, file), join(directory, `${file.split("_")[0]}.deb`));
  };

/** What an earlier `make install` has left in the machine. */
export async function putOlderInstallation(directory: string): Promise<void> {
  const { install } = await import("../../../install/files.ts");
  await install({ destination: directory, prefix: "/usr" });
}
