import { existsSync, readdirSync, readFileSync } from "node:fs";
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
const hierarchies = ["", "/unified", "/systemd"];

/** The time daemons, by their cgroups below `cgroups`: one outside of a unit, or in another unit or slice, is not noticed. */
export function createTimeServices(cgroups = "/sys/fs/cgroup"): TimeServices {
  const slices = hierarchies.map((hierarchy) => `${cgroups}${hierarchy}/system.slice`);
  return { activeDaemon: async () => activeDaemon(slices) };
}

/** To ask for each unit by its name costs less than the list of all units of a device, every half minute. */
function activeDaemon(slices: readonly string[]): TimeDaemon | null {
  // Some do not exist, and an error costs more than the question.
  for (const slice of slices.filter((directory) => existsSync(directory))) {
    const isActive = (cgroup: string): boolean => existsSync(cgroup) && hasProcesses(cgroup);
    const [, active] = daemonUnits.find(([unit]) => isActive(`${slice}/${unit}`)) ?? [];
    if (active) return active;
  }
  return null;
}

function hasProcesses(cgroup: string): boolean {
  // cgroups(7): in v2 it includes the cgroups below; v1 does not have this file.
  const events = textOf(join(cgroup, "cgroup.events"));
  if (events !== null) return /^populated 1$/m.test(events);
  if ((textOf(join(cgroup, "cgroup.procs")) ?? "").trim() !== "") return true;
  return namesIn(cgroup).some((name) => hasProcesses(join(cgroup, name)));
}

function namesIn(directory: string): string[] {
  const entries = unlessGone(() => readdirSync(directory, { withFileTypes: true })) ?? [];
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

const textOf = (path: string): string | null => unlessGone(() => readFileSync(path, "utf8"));

/** ENODEV: the cgroup was removed while it was read. */
function unlessGone<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ENODEV"].includes(systemErrorCode(error) ?? "")) return null;
    throw error;
  }
}
