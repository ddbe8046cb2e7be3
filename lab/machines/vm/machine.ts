import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Machine } from "../run-scenario.ts";
import type { Boot, Scenario } from "../scenario.ts";

/** The options of a boot. `directory` gets the log of the console and, with `keepsDisk`, the overlay of the disk. */
export interface BootOptions {
  /** The folder of the image. */
  readonly image: string;
  readonly payload: string;
  readonly directory: string;
  readonly scenario: Scenario;
  /** 0 for the first. */
  readonly index: number;
}

/** Starts qemu under software emulation; the caller ends it. */
export function startMachine(options: BootOptions): Machine {
  const begun = performance.now();
  const child = spawn("qemu-system-x86_64", arguments_(options), { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", () => resolve());
  });
  child.stdin.on("error", () => undefined);
  return {
    lines: createInterface({ input: child.stdout }),
    answer: (line) => child.stdin.write(`${line}\n`),
    kill: () => kill(child, ended),
    ended,
    age: () => (performance.now() - begun) / 1_000,
    hasPanickedEarly: () => hasPanickedEarly(consoleOf(options)),
  };
}

const consoleOf = ({ directory, index }: BootOptions): string => join(directory, `console-${index}.log`);

/** image/init says its line before it does anything else. */
function hasPanickedEarly(console: string): boolean {
  const text = existsSync(console) ? readFileSync(console, "utf8") : "";
  return text.includes("Kernel panic") && !text.includes("init: begins");
}

async function kill(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.kill("SIGKILL");
  await ended;
}

function arguments_(options: BootOptions): string[] {
  const { image, payload, directory, scenario, index } = options;
  const boot = scenario.boots[index] ?? { run: async () => undefined };
  return [
    ...["-M", "q35,accel=tcg", "-m", `${scenario.memory ?? 512}`],
    ...["-kernel", join(image, "vmlinuz"), "-initrd", join(image, "initrd")],
    ...["-append", kernelLine(boot, index)],
    ...["-display", "none", "-nodefaults", "-no-reboot"],
    ...["-chardev", `file,id=console,path=${consoleOf(options)}`, "-serial", "chardev:console"],
    ...["-chardev", "stdio,id=results,signal=off", "-serial", "chardev:results"],
    ...["-drive", rootDrive(image, directory, scenario)],
    ...["-drive", `file=${payload},format=raw,if=virtio,readonly=on`],
    ...["-rtc", `base=${bootClock(boot.rtc)},clock=host`],
    // The host side is a network namespace with only loopback, so that 10.0.2.2 is the only address.
    ...(boot.network === false ? ["-nic", "none"] : ["-nic", networkCard(scenario)]),
  ];
}

function networkCard({ forwards = [] }: Scenario): string {
  const ports = forwards.map((port) => `hostfwd=tcp:127.0.0.1:${port}-10.0.2.15:${port}`);
  return ["user", "model=virtio-net-pci", ...ports].join(",");
}

function kernelLine(boot: Boot, index: number): string {
  const units = boot.units ?? ["steward.service"];
  return [
    "root=/dev/vda rw console=ttyS0 quiet panic=-1 net.ifnames=0 systemd.show_status=0",
    // The kernel's test of its timer fails on a busy host: "IO-APIC + timer doesn't work".
    "no_timer_check",
    `systemd.setenv=SCENARIO_BOOT=${index} systemd.setenv=SCENARIO_HOST=/dev/ttyS1`,
    // systemd would move a clock that is older than itself to the day it was built; this is set after that.
    ...(typeof boot.rtc === "string" ? [`systemd.clock_usec=${Date.parse(`${boot.rtc}Z`) * 1_000}`] : []),
    ...units.map((unit) => `systemd.wants=${unit}`),
    ...(boot.kernel ?? []),
  ].join(" ");
}

/** The image itself is never written to. */
function rootDrive(image: string, directory: string, scenario: Scenario): string {
  const disk = join(image, "disk.img");
  if (!scenario.keepsDisk) return `file=${disk},format=raw,if=virtio,snapshot=on`;
  const overlay = join(directory, "disk.qcow2");
  if (!existsSync(overlay)) {
    execFileSync("qemu-img", ["create", "-q", "-f", "qcow2", "-b", disk, "-F", "raw", overlay]);
  }
  return `file=${overlay},format=qcow2,if=virtio`;
}

function bootClock(rtc: string | number = 0): string {
  if (typeof rtc === "string") return rtc;
  return new Date(Date.now() + rtc * 1_000).toISOString().slice(0, 19);
}
