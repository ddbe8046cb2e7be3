import { appendFileSync } from "node:fs";
import type { ReleaseFiles, ReleaseHost, Units } from "../../src/host/release-ports.ts";

/** The operation at which the process is killed, and on which side of it. */
export interface CrashPlan {
  /** Its number from 1, or the beginning of its name; 0: none. */
  readonly at: number | string;
  readonly when: "before" | "after";
  /** Gets a line for each operation. */
  readonly log: string;
}

/** Counts operations, and ends the process at one of them as a power cut would. */
export interface Counter {
  around<T>(name: string, work: () => Promise<T>): Promise<T>;
}

export function createCounter({ at, when, log }: CrashPlan): Counter {
  let count = 0;
  return {
    async around(name, work) {
      count += 1;
      const isHere = typeof at === "number" ? count === at : name.startsWith(at);
      appendFileSync(log, `${name}\n`);
      if (isHere && when === "before") die();
      const result = await work();
      if (isHere) die();
      return result;
    },
  };
}

/** Nothing runs after it: no handler, no `finally`, no flush. */
function die(): void {
  process.kill(process.pid, "SIGKILL");
}

/**
 * The host with each operation counted that changes something, or starts or asks another program. What only reads leaves the same
 * behind as the operation before it.
 */
export function crashing(host: ReleaseHost, counter: Counter): ReleaseHost {
  const { around } = counter;
  return {
    ...host,
    files: crashingFiles(host.files, counter),
    units: host.units && crashingUnits(host.units, counter),
    activate: (plan, release) => around("activate", () => host.activate(plan, release)),
    askHealth: (plan, release) => around("askHealth", () => host.askHealth(plan, release)),
    selfTest: (command, release) => around("selfTest", () => host.selfTest(command, release)),
    unpack: (payload, directory) => around(`unpack ${directory}`, () => host.unpack(payload, directory)),
  };
}

function crashingFiles(files: ReleaseFiles, { around }: Counter): ReleaseFiles {
  return {
    ...files,
    write: (path, content, mode) => around(`write ${path}`, () => files.write(path, content, mode)),
    makeDirectory: (path, mode) => around(`makeDirectory ${path}`, () => files.makeDirectory(path, mode)),
    remove: (path) => around(`remove ${path}`, () => files.remove(path)),
    move: (from, to) => around(`move ${from} to ${to}`, () => files.move(from, to)),
    link: (path, target) => around(`link ${path}`, () => files.link(path, target)),
    sync: (directory) => around(`sync ${directory}`, () => files.sync(directory)),
  };
}

function crashingUnits(units: Units, { around }: Counter): Units {
  return {
    ...units,
    restart: (unit) => around(`restart ${unit}`, () => units.restart(unit)),
    reload: (unit) => around(`reload ${unit}`, () => units.reload(unit)),
    begin: (unit) => around(`begin ${unit}`, () => units.begin(unit)),
  };
}
