import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { descendantsOf, ownTicksOf } from "./processes.ts";

/** Ticks a second in /proc, on every Linux (USER_HZ). */
const ticksPerSecond = 100;

/** Seconds of this process and of the children that their parents waited for: a browser's renderers are not among them. */
export function ownProcessorSeconds(): number {
  // proc(5): fields 14 to 17 are utime, stime, cutime, cstime; the second field, the name, may hold blanks.
  const fields = readFileSync("/proc/self/stat", "utf8").replace(/^.*\) /s, "");
  const ticks = fields.split(" ").slice(11, 15).map(Number);
  return ticks.reduce((sum, each) => sum + each, 0) / ticksPerSecond;
}

/** Counts processor time. */
export interface Meter {
  /** Since the meter was made. */
  seconds(): number;
  /** True: it misses processes that no parent waits for. */
  readonly isPartial: boolean;
  /** The processes that are counted; for the person who reads the figure. */
  readonly of: string;
  end(): void;
}

/**
 * Counts what this process uses from now on, and all that it starts: in a control group of their own where the host
 * gives one, which takes root; else as `ownProcessorSeconds`.
 */
export function startMeter(): Meter {
  const group = controlGroup();
  if (group === null) {
    const begun = ownProcessorSeconds();
    const of = "of all processes that were waited for (no control group could be made)";
    return { seconds: () => ownProcessorSeconds() - begun, isPartial: true, of, end: () => undefined };
  }
  return {
    seconds: group.readSeconds,
    isPartial: false,
    of: "of all processes",
    end: () => {
      writeFileSync(`${group.parent}/cgroup.procs`, "0");
      // Processes that a test left behind are killed before; a process that has just ended may hold a group for a moment.
      try {
        // Test files within it had groups of their own.
        for (const name of readdirSync(group.path))
          if (name.startsWith(groupName)) rmdirSync(join(group.path, name));
        rmdirSync(group.path);
      } catch {}
    },
  };
}

/**
 * Looks each second at what the children of this process and their descendants have used, where there is no control
 * group. The result gives the seconds of one child with its descendants, without what has lived between two looks.
 */
export function watchChildren(): (child: number) => number {
  const seen = new Map<number, Map<number, number>>();
  setInterval(() => {
    for (const [child, descendants] of descendantsOf(process.pid)) {
      const ticks = seen.get(child) ?? new Map<number, number>();
      for (const id of descendants) ticks.set(id, Math.max(ticks.get(id) ?? 0, ownTicksOf(id)));
      seen.set(child, ticks);
    }
  }, 1_000).unref();
  return (child) =>
    [...(seen.get(child)?.values() ?? [])].reduce((sum, each) => sum + each, 0) / ticksPerSecond;
}

interface Group {
  readonly parent: string;
  readonly path: string;
  readonly readSeconds: () => number;
}

const groupName = "steward-tests-";

/** Enters a new group below the present one; null where there is none to be had. */
function controlGroup(): Group | null {
  const memberships = readFileSync("/proc/self/cgroup", "utf8").split("\n");
  for (const membership of memberships) {
    const [, controllers = "", within = ""] = /^\d+:([^:]*):(.*)$/.exec(membership) ?? [];
    const isFirst = controllers.split(",").includes("cpuacct");
    if (!isFirst && controllers !== "") continue;
    const parent = `/sys/fs/cgroup${isFirst ? "/cpuacct" : ""}${within}`.replace(/\/$/, "");
    const path = `${parent}/${groupName}${process.pid}`;
    try {
      mkdirSync(path);
      writeFileSync(`${path}/cgroup.procs`, "0");
    } catch {
      continue;
    }
    const usage = isFirst ? `${path}/cpuacct.usage` : `${path}/cpu.stat`;
    if (!existsSync(usage)) continue;
    const readSeconds = isFirst
      ? () => Number(readFileSync(usage, "utf8")) / 1e9
      : () => Number(/^usage_usec (\d+)$/m.exec(readFileSync(usage, "utf8"))?.[1]) / 1e6;
    return { parent, path, readSeconds };
  }
  return null;
}
