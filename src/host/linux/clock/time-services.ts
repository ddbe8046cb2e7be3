import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { systemErrorCode } from "../../../contract/errors.ts";
import type { TimeDaemon, TimeServices } from "../../ports.ts";

/** The units that discipline clocks, under the names of Debian, of Fedora and of their authors. */
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

/** The directory of systemd's hierarchy: cgroup v2; hybrid; v1 (systemd(1), cgroups(7)). */
const hierarchies = ["", "unified", "systemd"];

/**
 * The time daemons of this host, by their cgroups below `cgroups`. A daemon that runs outside of a unit, or in a unit with
 * another name or slice, is not noticed.
 */
export function createTimeServices(cgroups = "/sys/fs/cgroup"): TimeServices {
  return { activeDaemon: () => activeDaemon(cgroups) };
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

/** True if a process is in this cgroup or one below it. */
async function hasProcesses(cgroup: string): Promise<boolean> {
  // cgroups(7): in v2 it includes the cgroups below; v1 does not have this file.
  const events = await textOf(join(cgroup, "cgroup.events"));
  if (events !== null) return /^populated 1$/m.test(events);
  if (((await textOf(join(cgroup, "cgroup.procs"))) ?? "").trim() !== "") return true;
  const below = await namesIn(cgroup);
  for (const name of below) if (await hasProcesses(join(cgroup, name))) return true;
  return false;
}

/** The names of the directories in it; none if it is gone. */
async function namesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(ifGone([]));
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

function textOf(path: string): Promise<string | null> {
  return readFile(path, "utf8").catch(ifGone(null));
}

/** ENODEV: the cgroup was removed while it was read. */
function ifGone<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (["ENOENT", "ENOTDIR", "ENODEV"].includes(systemErrorCode(error) ?? "")) return instead;
    throw error;
  };
}
