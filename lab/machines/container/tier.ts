import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { layOut } from "../payload.ts";
import type { Tier } from "../tier.ts";
import { filesOfContainer, startContainer } from "./container.ts";

const namespaces = ["--net", "--pid", "--mount", "--mount-proc", "--fork", "--kill-child=SIGKILL"];

/** Root here is the machine's root, so that what may set its clock is given up before anything is started. */
const withoutClock = ["setpriv", "--bounding-set=-sys_time", "--inh-caps=-sys_time"];

/** /run is where nspawn keeps its own, and where the container's disk is: in memory, gone with the scenario. */
const begin = `for group in $CGROUPS; do echo 0 >"$group/cgroup.procs"; done
mount -t tmpfs tmpfs /run && ip link set lo up && exec "$0" "$@"`;

/** `make system-test`: a container with a systemd of its own. */
export const containers: Tier = {
  target: "system-test",
  withoutRoot: "systemd-nspawn needs root: run `sudo make system-test`",
  image: (machine) => ({
    cache: machine === "appliance" ? "system-test" : `system-test-${machine}`,
    sources: join(import.meta.dirname, machine === "appliance" ? "image" : "image-bare"),
    machine,
    withoutRoot: "the container's image is built as root: run `sudo make system-test`",
  }),
  logs: "system-test-runs",
  confined: (directory) => {
    const groups = ownGroups(directory);
    for (const group of groups) mkdirSync(group, { recursive: true });
    const environment = ["env", `CGROUPS=${groups.join(" ")}`];
    return [...environment, ...withoutClock, "unshare", ...namespaces, "sh", "-c", begin];
  },
  cleanUp: (directory) => {
    for (const group of ownGroups(directory)) removeWhenEmpty(group);
  },
  quietBootSeconds: 3,
  prepare: async ({ module, scenario, image, directory }) => {
    const payload = "/run/payload";
    mkdirSync(payload);
    const files = { ...filesOfContainer, ...scenario.files };
    await layOut({ module, scenario: { ...scenario, files }, tier: "container" }, payload);
    return (index) => startContainer({ image: join(image, "tree"), payload, directory, scenario, index });
  },
};

/** A control group for each scenario, in each hierarchy that systemd goes by: containers that share one mix their units. */
function ownGroups(directory: string): string[] {
  const name = `system-test-${process.pid}-${basename(directory)}`;
  return readFileSync("/proc/self/cgroup", "utf8")
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [id, controllers, path = "/"] = line.split(":");
      const root = "/sys/fs/cgroup";
      if (controllers === "name=systemd") return [join(root, "systemd", path, name)];
      if (id !== "0") return [];
      const isUnified = statSync(join(root, "cgroup.procs"), { throwIfNoEntry: false }) !== undefined;
      return [join(root, isUnified ? "" : "unified", path, name)];
    });
}

/** The kernel has killed what was in there, which takes it a moment to be gone. */
function removeWhenEmpty(group: string): void {
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  for (let tries = 1; ; tries += 1) {
    try {
      removeGroup(group);
      return;
    } catch (error) {
      if (tries === 100) {
        process.stderr.write(`system-test: ${group} is left behind: ${String(error)}\n`);
        return;
      }
      Atomics.wait(sleeper, 0, 0, 20);
    }
  }
}

function removeGroup(group: string): void {
  for (const entry of readdirSync(group, { withFileTypes: true })) {
    if (entry.isDirectory()) removeGroup(join(group, entry.name));
  }
  rmdirSync(group);
}
