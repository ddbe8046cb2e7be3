import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../../basics/until.ts";
import { unpacked } from "../../host/debian-packages.ts";

/** The end of a command. */
export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Devices with Steward installed and an SSH server, in a network of their own whose other end runs commands. */
export interface Devices {
  /** For files of the test; gone at the end. */
  readonly directory: string;
  readonly all: readonly { readonly name: string; readonly address: string }[];
  /** The arguments that give an SSH client key and hosts. */
  readonly ssh: readonly string[];
  /** Runs a command where the devices can be reached. */
  readonly run: (
    command: readonly string[],
    options?: { readonly environment?: object; readonly input?: string },
  ) => Ended;
  /** Runs a shell's line as root on the device of that index. */
  readonly on: (index: number, line: string, input?: string) => Ended;
  readonly dispose: () => Promise<void>;
}

/** Minutes that one command may take: for what hangs. */
const longestMinutes = 5;

/** Starts them; their SSH servers and agents answer. Takes root. */
export async function startDevices(count: number): Promise<Devices> {
  const directory = mkdtempSync(join(tmpdir(), "steward-devices-"));
  const all = Array.from({ length: count }, (_, index) => ({
    name: `device${index + 1}`,
    address: `10.77.0.${11 + index}`,
  }));
  prepare(directory, all);
  const network = spawn(
    "unshare",
    [
      ...["--mount", "--net", "--pid", "--fork", "--mount-proc", "--kill-child", "--propagation", "private"],
      ...["sh", join(import.meta.dirname, "network.sh"), directory, String(count)],
    ],
    { stdio: ["pipe", "inherit", "inherit"] },
  );
  const ended = once(network, "exit");
  const first = () => readFileSync(`/proc/${network.pid}/task/${network.pid}/children`, "utf8").trim();
  await until("the network's first process", () => first() !== "");
  const inside = ["--target", first(), "--mount", "--net", "--pid", "--"];
  const run: Devices["run"] = ([...command], { environment, input } = {}) =>
    spawnSync("nsenter", [...inside, ...command], {
      ...{ encoding: "utf8", env: { ...process.env, ...environment } },
      ...{ input: input ?? "", timeout: longestMinutes * 60_000, maxBuffer: 64 * 1024 * 1024 },
    });
  const ssh = [
    ...["-o", `UserKnownHostsFile=${join(directory, "known-hosts")}`, "-o", "StrictHostKeyChecking=yes"],
    ...["-o", "BatchMode=yes", "-i", join(directory, "key"), "-p", "2222"],
  ];
  const on: Devices["on"] = (index, line, input = "") =>
    run(["ssh", ...ssh, `root@${all[index]?.address}`, line], { input });
  const dispose = async () => {
    network.stdin.end();
    await ended;
    rmSync(directory, { recursive: true });
  };
  try {
    for (const [index, { name }] of all.entries())
      await until(`${name} answers`, () => on(index, "steward version").status === 0);
  } catch (error) {
    for (const { name } of all) process.stderr.write(readFileSync(join(directory, name, "log"), "utf8"));
    await dispose();
    throw error;
  }
  return { directory, all, ssh, run, on, dispose };
}

/** Puts everything that network.sh needs into the directory. */
function prepare(directory: string, devices: Devices["all"]): void {
  const root = join(import.meta.dirname, "../../..");
  const newKey = (path: string) => execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", path]);
  const installed = join(directory, "installed");
  const place = ["--destination", installed, "--runtime", process.execPath];
  execFileSync(process.execPath, ["--import", "tsx", "scripts/install/main.ts", ...place], { cwd: root });
  for (const path of ["etc", "var"]) mkdirSync(join(installed, path), { recursive: true });
  const packages = ["openssh-server", "openssh-sftp-server", "libwrap0"];
  symlinkSync(unpacked("openssh-server", "usr/sbin/sshd", ...packages), join(directory, "sshd"));
  newKey(join(directory, "key"));
  copyFileSync(join(directory, "key.pub"), join(directory, "authorized_keys"));
  const known = devices.map(({ name, address }) => {
    mkdirSync(join(directory, name));
    newKey(join(directory, name, "host-key"));
    return `[${address}]:2222 ${readFileSync(join(directory, name, "host-key.pub"), "utf8")}`;
  });
  writeFileSync(join(directory, "known-hosts"), known.join(""));
}
