import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { systemErrorCode } from "../../../contract/errors.ts";
import type { RunCommand, TimeDaemon, TimeServices } from "../../ports.ts";
import { createSystemctl } from "../systemd/systemctl.ts";

/** The units that discipline clocks, in Debian's, Fedora's and their makers' own names. */
const daemonUnits: readonly (readonly [string, TimeDaemon])[] = [
  ["chrony.service", "chronyd"],
  ["chronyd.service", "chronyd"],
  ["systemd-timesyncd.service", "systemd-timesyncd"],
  ["ntp.service", "ntpd"],
  ["ntpd.service", "ntpd"],
  ["ntpsec.service", "ntpd"],
  ["openntpd.service", "openntpd"],
  ["ntpd-rs.service", "ntpd-rs"],
];

/** Where systemd keeps its own hierarchy: cgroup v2; hybrid; v1 (systemd(1), cgroups(7)). */
const hierarchies = ["", "unified", "systemd"];

/** A burst command or a restart of timesyncd takes some tenths; a hung systemd must not hold us. */
const patienceSeconds = 30;

/** Nothing in a unit's name can be an option, a path or a pattern. */
const unitPattern = /^[a-z][0-9a-z-]{0,63}(@[0-9a-z]{1,32})?\.service$/;

export interface TimeServicesOptions {
  run: RunCommand;
  /** Where the cgroups are; /sys/fs/cgroup unless said otherwise. */
  cgroups?: string;
}

/**
 * The time daemons of this host, through their cgroups and systemctl(1). A daemon that somebody runs outside of a unit,
 * or in a unit of another name or slice, is not seen.
 */
export function createTimeServices({ run, cgroups = "/sys/fs/cgroup" }: TimeServicesOptions): TimeServices {
  const systemctl = createSystemctl(run);
  const order = async (verb: "start" | "restart", unit: string): Promise<void> => {
    if (!unitPattern.test(unit)) throw new RangeError(`"${unit}" is no unit's name`);
    await systemctl({ verb, unit, patienceSeconds });
  };
  return {
    activeDaemon: () => activeDaemon(cgroups),
    // A oneshot's start job ends when its program has ended.
    start: (unit) => order("start", unit),
    restart: (unit) => order("restart", unit),
  };
}

async function activeDaemon(cgroups: string): Promise<TimeDaemon | null> {
  const slices = hierarchies.map((hierarchy) => join(cgroups, hierarchy, "system.slice"));
  const known = await Promise.all(slices.map(async (slice) => [slice, await namesIn(slice)] as const));
  for (const [unit, daemon] of daemonUnits) {
    for (const [slice, names] of known) {
      if (names.includes(unit) && (await hasProcesses(join(slice, unit)))) return daemon;
    }
  }
  return null;
}

/** Whether a process lives in this cgroup or one below it. */
async function hasProcesses(cgroup: string): Promise<boolean> {
  // cgroups(7): v2 counts the cgroups below in; v1 has no such file.
  const events = await textOf(join(cgroup, "cgroup.events"));
  if (events !== null) return /^populated 1$/m.test(events);
  if (((await textOf(join(cgroup, "cgroup.procs"))) ?? "").trim() !== "") return true;
  const below = await namesIn(cgroup);
  for (const name of below) if (await hasProcesses(join(cgroup, name))) return true;
  return false;
}

/** Names of the directories in it; none where it is gone. */
async function namesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(ifGone([]));
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

function textOf(path: string): Promise<string | null> {
  return readFile(path, "utf8").catch(ifGone(null));
}

/** ENODEV: the cgroup went while it was read. */
function ifGone<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (["ENOENT", "ENOTDIR", "ENODEV"].includes(systemErrorCode(error) ?? "")) return instead;
    throw error;
  };
}
