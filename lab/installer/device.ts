import { execFileSync } from "node:child_process";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { usualDirectories } from "../../src/installer/files/release-directories.ts";
import { productDirectory } from "./releases.ts";

export type Device = ReturnType<typeof deviceIn>;

export interface DeviceOptions {
  readonly directory: string;
  /** The pump's service listens at this port. */
  readonly port: number;
  /** Origin of the engine that goes by the rules. */
  readonly engine: string;
  /** The host file's `health`, beside `http`. */
  readonly health?: object;
  /** Further members of the host file's plans. */
  readonly plan?: object;
}

/** Quick where all is well, and patient where this host is slow. */
const quickHealth = { successes: 2, interval: "100ms", within: "60s" };

/** A device as directories: what root has, the agent's state, and the pump's settings, pid and log in `run`. */
export function deviceIn(directory: string) {
  const at = (name: string): string => join(directory, name);
  const directories = { ...usualDirectories, releases: at("releases"), trust: at("trust") };
  return { directory, directories, hostFile: at("etc/steward.json"), state: at("state"), run: at("run") };
}

/** A device on which nothing was ever applied; `rootFile` is installed as its root of trust. */
export async function makeDevice(options: DeviceOptions, rootFile: string): Promise<Device> {
  const device = deviceIn(options.directory);
  for (const name of ["state", "run", "etc", "bin"])
    await mkdir(join(device.directory, name), { recursive: true, mode: 0o755 });
  for (const program of ["launch.sh", "load.sh"])
    await cp(join(productDirectory, program), join(device.directory, "bin", program));
  await cp(rootFile, join(device.directory, "etc", "update-root.json"));
  await settle(device, options);
  return device;
}

/** The same device somewhere else: a copy of all of it, with its own addresses. */
export async function copyDevice(template: Device, options: DeviceOptions): Promise<Device> {
  execFileSync("cp", ["-a", `${template.directory}/.`, options.directory]);
  const device = deviceIn(options.directory);
  await settle(device, options);
  return device;
}

/** Copies the files that the agent has fetched and verified, as if they were this device's own. */
export async function stage(device: Device, agent: string): Promise<void> {
  await cp(agent, join(device.state, "updates"), { recursive: true });
}

/** Writes the device's own addresses into its host file and the pump's settings. */
export async function settle(device: Device, { port, engine, health, plan }: DeviceOptions): Promise<void> {
  const http = (url: string) => [{ url, status: 200, version_member: "version" }];
  const planOf = (program: string, url: string) => ({
    activate: [join(device.directory, "bin", program), device.run, "{release}"],
    health: { ...quickHealth, ...health, http: http(url) },
    ...plan,
  });
  const content = {
    product: "pump",
    update: {
      allow_local_servers: true,
      rules: planOf("load.sh", `${engine}${device.run}`),
      binary: planOf("launch.sh", `http://127.0.0.1:${port}/health`),
    },
  };
  await writeFile(device.hostFile, JSON.stringify(content, null, 2), { mode: 0o644 });
  await writeFile(join(device.run, "settings.json"), JSON.stringify({ port, pressure: 3 }), { mode: 0o644 });
}
