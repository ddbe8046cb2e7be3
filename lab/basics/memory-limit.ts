import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** MiB: `MemoryMax` of the agent's unit. V8 takes the sizes of its heap from it, so no measurement without it is a device's. */
export const unitMemoryMiB = Number(
  /^MemoryMax=(\d+)M$/m.exec(
    readFileSync(join(import.meta.dirname, "../../systemd/steward.service"), "utf8"),
  )?.[1],
);

/** A control group whose processes have a limit of memory, as those of a unit have. */
export interface MemoryLimit {
  /** A command is run in it by these words before its own; its process id is that of the spawned process. */
  readonly prefix: readonly string[];
  /** The number of processes that the kernel has killed for it. */
  kills(): number;
  /** Call it when all of its processes have ended. */
  remove(): void;
}

let made = 0;

/** Null where this machine lets this process make no control group with a limit, which takes root. */
export function limitMemory(mebibytes: number): MemoryLimit | null {
  const name = `steward-${process.pid}-${made}`;
  made += 1;
  for (const { parent, limit, events } of places()) {
    const group = join(parent, name);
    try {
      mkdirSync(group);
    } catch {
      continue;
    }
    if (setLimit(join(group, limit), mebibytes)) return limitOf(group, events);
    remove(group);
  }
  return null;
}

function limitOf(group: string, events: string): MemoryLimit {
  const enter = 'echo $$ > "$0/cgroup.procs" && exec "$@"';
  return {
    prefix: ["sh", "-c", enter, group],
    kills: () => Number(/^oom_kill (\d+)$/m.exec(readFileSync(join(group, events), "utf8"))?.[1] ?? 0),
    remove: () => remove(group),
  };
}

/** Below and beside the group of this process: of version 2 the one, with processes in it, may have no groups with limits. */
function places(): { parent: string; limit: string; events: string }[] {
  const lines = readFileSync("/proc/self/cgroup", "utf8").split("\n");
  const second = /^0::(.*)$/m.exec(lines.join("\n"))?.[1] ?? "/";
  const first = lines.map((line) => /^\d+:(?:.*,)?memory(?:,.*)?:(.*)$/.exec(line)?.[1]).find(Boolean);
  const unified = { limit: "memory.max", events: "memory.events" };
  const found = [second, dirname(second)].map((path) => ({
    parent: join("/sys/fs/cgroup", path),
    ...unified,
  }));
  if (first !== undefined)
    found.unshift({
      parent: join("/sys/fs/cgroup/memory", first),
      ...{ limit: "memory.limit_in_bytes", events: "memory.oom_control" },
    });
  return found;
}

function setLimit(file: string, mebibytes: number): boolean {
  try {
    if (!existsSync(file)) return false;
    writeFileSync(file, String(mebibytes * 1024 ** 2));
    return true;
  } catch {
    return false;
  }
}

function remove(group: string): void {
  try {
    rmdirSync(group);
  } catch {
    // A process of it has not ended yet: an empty group costs nothing.
  }
}
