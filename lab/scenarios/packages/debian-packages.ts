/** Debian's own packages for a bare machine, with those that they need there. Fetched on the host. */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dirname, "../../../.cache/debian-packages");

/** Asks the machine's own sources, by the state of its own packages, and changes nothing of it. */
export const debiansPackages =
  (machine: "bookworm" | "trixie", ...names: readonly string[]) =>
  async (): Promise<void> => {
    const { prepareImage } = await import("../../machines/image.ts");
    const { containers } = await import("../../machines/container/tier.ts");
    const tree = join(prepareImage(containers.image(machine), console.log), "tree");
    for (const place of ["state/lists/partial", "cache/archives/partial"])
      mkdirSync(join(folder, machine, place), { recursive: true });
    const places = {
      "Dir::Etc": join(tree, "etc/apt"),
      "Dir::State": join(folder, machine, "state"),
      "Dir::State::status": join(tree, "var/lib/dpkg/status"),
      "Dir::Cache": join(folder, machine, "cache"),
    };
    const options = Object.entries(places).flatMap(([name, path]) => ["-o", `${name}=${path}`]);
    const apt = (...words: readonly string[]) =>
      execFileSync("apt-get", [...options, "-qq", "--yes", ...words], {
        stdio: ["ignore", "ignore", "inherit"],
      });
    apt("update");
    apt("install", "--no-install-recommends", "--download-only", ...names);
  };

export const putDebiansPackages =
  (machine: "bookworm" | "trixie") =>
  (directory: string): void => {
    const archives = join(folder, machine, "cache/archives");
    for (const name of readdirSync(archives).filter((one) => one.endsWith(".deb")))
      copyFileSync(join(archives, name), join(directory, name));
  };
