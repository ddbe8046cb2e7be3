import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { access, rm } from "node:fs/promises";
import { join } from "node:path";
import { createHealthCheck } from "../../src/host/linux/releases/health-check.ts";
import { createRunForRelease } from "../../src/host/linux/releases/release-programs.ts";
import { createActivation } from "../../src/host/linux/systemd/activation.ts";
import type { DescribedUnitState, LinuxUnits } from "../../src/host/linux/systemd/units.ts";
import type { ReleaseHost } from "../../src/host/release-ports.ts";
import { pathsOf } from "../../src/installer/files/release-directories.ts";
import { until } from "../basics/until.ts";
import type { Device } from "./device.ts";

/** The pump's service under a supervisor that acts like systemd with `Restart=on-failure`. */
export interface Supervisor {
  readonly units: LinuxUnits;
  /** `systemctl restart`, by another program than the guard. */
  restartByHand(): Promise<void>;
  /** Kills the service, as the kernel does where memory is short. */
  crash(): void;
  /** Starts that there were. */
  readonly starts: () => number;
  /** For the service and its end visible to the host. */
  readonly onHost: (host: ReleaseHost) => ReleaseHost;
  stop(): Promise<void>;
}

/** Lines that are kept of what the service said. */
const mostLines = 500;

/** `pump.service` of the device: the binary that `current` leads to. */
export function supervise({ directories, run }: Device): Supervisor {
  const program = join(pathsOf(directories).current("binary"), "serve");
  const lines: string[] = [];
  let child: ChildProcess | null = null;
  let invocation = "";
  let uncleanExits = 0;
  let starts = 0;

  const start = async (): Promise<void> => {
    await rm(join(run, "ready"), { force: true });
    const started = spawn(program, [run], { stdio: ["ignore", "ignore", "pipe"] });
    child = started;
    starts += 1;
    invocation = randomBytes(16).toString("hex");
    started.stderr.setEncoding("utf8").on("data", (text: string) => {
      lines.push(...text.split("\n").filter(Boolean));
      lines.splice(0, lines.length - mostLines);
    });
    started.once("error", () => undefined);
    started.once("exit", (code) => {
      if (child !== started) return;
      child = null;
      if (code === 0) return;
      uncleanExits += 1;
      void start();
    });
  };
  const stop = async (): Promise<void> => {
    const running = child;
    child = null;
    if (running === null || running.exitCode !== null || running.signalCode !== null) return;
    running.kill("SIGTERM");
    await once(running, "exit");
  };
  const restart = async (): Promise<void> => {
    await stop();
    uncleanExits = 0;
    await start();
    await Promise.race([ready(run), child === null ? undefined : once(child, "exit")]);
  };
  const state = async (): Promise<DescribedUnitState> => {
    const isActive = child !== null;
    return { isActive, isFailed: false, uncleanExits, invocation, words: isActive ? "active" : "inactive" };
  };
  const log: LinuxUnits["log"] = async (_unit, _since, most) => lines.slice(-most);
  const units: LinuxUnits = { state, restart, reload: restart, begin: async () => undefined, log };
  const runForRelease = createRunForRelease();
  return {
    units,
    restartByHand: restart,
    crash: () => void child?.kill("SIGKILL"),
    starts: () => starts,
    onHost: (host) => ({
      ...host,
      units,
      activate: createActivation({ units, run: runForRelease }),
      askHealth: createHealthCheck({ units, run: runForRelease }),
    }),
    stop,
  };
}

async function ready(run: string): Promise<void> {
  await until("the pump listens", () =>
    access(join(run, "ready")).then(
      () => true,
      () => false,
    ),
  );
}
