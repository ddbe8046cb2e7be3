import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { Machine } from "../run-scenario.ts";
import type { Scenario } from "../scenario.ts";

/** The options of a boot; the directory gets the console's log. */
export interface ContainerOptions {
  /** The tree of Debian is below the one with Steward and the scenario. Neither is ever written to. */
  readonly image: string;
  readonly payload: string;
  readonly directory: string;
  readonly scenario: Scenario;
  readonly index: number;
}

const disk = "/run/disk";
const merged = "/run/container";
const talk = "/run/talk";

/** Files that are in each container besides. */
export const filesOfContainer: Readonly<Record<string, string>> = {
  // Nothing may set this computer's clock, the agent neither: it measures and says so.
  "/etc/systemd/system/steward.service.d/container.conf":
    "[Service]\nAmbientCapabilities=\nCapabilityBoundingSet=\n",
  // As the virtual machine has it: 10.0.2.2 is all there is.
  "/etc/systemd/system/scenario-network.service": `[Unit]
Description=The network of the scenario
DefaultDependencies=no
Before=sysinit.target
ConditionPathExists=/sys/class/net/eth0
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/ip addr add 10.0.2.15/24 dev eth0
ExecStart=/bin/ip link set eth0 up
ExecStart=/bin/ip route add default via 10.0.2.2
# Until the other end of the cable is up, Node does not list the address, and the device says that it has none.
ExecStart=/bin/sh -c 'until grep -q 1 /sys/class/net/eth0/carrier; do sleep 0.01; done'
`,
};

/** Boots a container; the caller ends it. Runs in network, mount and process namespaces that belong to the scenario. */
export function startContainer(options: ContainerOptions): Machine {
  const begun = performance.now();
  const { directory, scenario, index } = options;
  const boot = scenario.boots[index] ?? { run: async () => undefined };
  mountDisk(options);
  const lines = new PassThrough();
  const { answer, close } = listen(lines);
  const log = openSync(join(directory, `console-${index}.log`), "w");
  const child = spawn("systemd-nspawn", words(scenario, index), { stdio: ["ignore", log, log] });
  const ended = new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", () => {
      close();
      lines.end();
      execFileSync("umount", ["--recursive", "--lazy", merged]);
      resolve();
    });
  });
  if (boot.network !== false) void plugIn(() => child.exitCode !== null || child.signalCode !== null);
  return {
    lines: createInterface({ input: lines }),
    answer,
    kill: async () => {
      killInit(child.pid);
      await ended;
    },
    ended,
    age: () => (performance.now() - begun) / 1_000,
    // It is this computer's kernel.
    hasPanickedEarly: () => false,
  };
}

/** The container's first process takes all the others with it at once; nspawn then takes away what it has set up. */
function killInit(nspawn: number | undefined): void {
  const children = readFileSync(`/proc/${nspawn}/task/${nspawn}/children`, "utf8").trim().split(" ");
  for (const id of children) if (id !== "") process.kill(Number(id), "SIGKILL");
}

/** The root disk: an overlay whose upper layer is kept from boot to boot where the scenario keeps its disk. */
function mountDisk({ image, payload, scenario }: ContainerOptions): void {
  if (!scenario.keepsDisk) rmSync(disk, { recursive: true, force: true });
  for (const path of [`${disk}/upper`, `${disk}/work`, merged, talk]) mkdirSync(path, { recursive: true });
  const layers = `lowerdir=${payload}:${image},upperdir=${disk}/upper,workdir=${disk}/work`;
  execFileSync("mount", ["-t", "overlay", "overlay", "-o", layers, merged]);
}

/** The scenario's end of the cable whose other end nspawn lays into the container as eth0; its servers are at 10.0.2.2. */
async function plugIn(isOver: () => boolean): Promise<void> {
  const ip = (...args: readonly string[]) => spawnSync("ip", args, { stdio: "ignore" }).status === 0;
  while (!ip("link", "show", "cable")) {
    if (isOver()) return;
    await delay(20);
  }
  if (!ip("addr", "add", "10.0.2.2/24", "dev", "cable") || !ip("link", "set", "cable", "up"))
    throw new Error("the container's network could not be set up");
}

/** The socket that the guest part connects to. */
function listen(lines: PassThrough): { answer: (line: string) => void; close: () => void } {
  let guest: Socket | undefined;
  const path = join(talk, "socket");
  rmSync(path, { force: true });
  const server = createServer((socket) => {
    guest = socket;
    socket.on("error", () => undefined);
    socket.pipe(lines);
  });
  server.listen(path);
  return {
    answer: (line) => guest?.write(`${line}\n`),
    close: () => {
      guest?.destroy();
      server.close();
    },
  };
}

/** This computer's, which give a file back when the container that has mounted it ends. */
function loopDevices(): string[] {
  const names = readdirSync("/dev").filter((name) => /^loop(\d+|-control)$/.test(name));
  return names.map((name) => `--bind=/dev/${name}`);
}

/** systemd in a container takes the words after its own as the kernel's command line. */
function words(scenario: Scenario, index: number): string[] {
  const boot = scenario.boots[index] ?? { run: async () => undefined };
  const units = [...(boot.units ?? ["steward.service"]), "scenario-network.service"];
  return [
    ...["--quiet", "--boot", `--directory=${merged}`, "--machine=appliance", "--hostname=appliance"],
    ...["--register=no", "--keep-unit", "--console=pipe", "--link-journal=no"],
    ...["--resolv-conf=off", "--timezone=off", `--bind=${talk}:/scenario`],
    ...["--private-network", ...(boot.network === false ? [] : ["--network-veth-extra=cable:eth0"])],
    "--drop-capability=CAP_SYS_TIME",
    ...(scenario.hasLoopDevices ? loopDevices() : []),
    // The kernel's clock may be read by adjtimex(2), as on every machine; without the capability it cannot be set.
    "--system-call-filter=adjtimex clock_adjtime",
    "systemd.show_status=0",
    `systemd.setenv=SCENARIO_BOOT=${index}`,
    "systemd.setenv=SCENARIO_HOST=/scenario/socket",
    ...units.map((unit) => `systemd.wants=${unit}`),
    ...(boot.kernel ?? []),
  ];
}
