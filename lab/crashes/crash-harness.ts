import { spawn } from "node:child_process";
import { join } from "node:path";
import { bundle } from "../basics/bundle.ts";
import type { CrashPlan } from "../installer/crashing-host.ts";
import type { Device } from "../installer/device.ts";
import type { InstallerOrder } from "../installer/installer-in-process.ts";
import { compileKillAt, type Watched, watchRun } from "./power-cut.ts";

/** The program that is killed gets this as its one argument. */
export interface CrashRequest {
  readonly directory: string;
  readonly order: InstallerOrder;
  /** The virtual clock starts here. */
  readonly startSeconds: number;
  readonly crash: CrashPlan;
}

export interface Ended {
  readonly signal: NodeJS.Signals | null;
  readonly code: number | null;
  /** The code of what it threw, and what it said on standard error. */
  readonly output: string;
}

export interface CrashHarness {
  run(request: CrashRequest): Promise<Ended>;
  /** One whole run on the device, and whatever it would leave there. */
  watch(device: Device, request: CrashRequest): Promise<Watched<Ended>>;
}

/** Seconds after which a run that hangs is ended, as no crash point. */
const patienceSeconds = 300;

/** The installer as one file, made below `directory`, so that a start costs little. */
export async function createCrashHarness(directory: string): Promise<CrashHarness> {
  const program = await bundle(directory, join(import.meta.dirname, "crash-program.ts"));
  let library: string | undefined;
  const run = (request: CrashRequest, environment: Record<string, string> = {}): Promise<Ended> => {
    const child = spawn(process.execPath, [program, JSON.stringify(request)], {
      env: { ...process.env, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    }
    const timer = setTimeout(() => child.kill("SIGABRT"), patienceSeconds * 1_000);
    return new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (code, signal) => {
        clearTimeout(timer);
        // A pump that was started goes on, and holds no pipe of ours open.
        resolve({ code, signal, output });
      });
    });
  };
  return {
    run,
    watch: ({ directory: own, directories }, request) => {
      library ??= compileKillAt(directory);
      return watchRun({
        ...{ library, directory: own, below: [directories.releases, directories.trust] },
        start: (environment) => run(request, environment),
      });
    },
  };
}
