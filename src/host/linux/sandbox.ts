import { readFileSync, statSync } from "node:fs";

/** To set the clock, as steward-timekeeper does, and to listen at port 443, as a drop-in may allow (linux/capability.h). */
const harmless = (1n << 25n) | (1n << 10n);

/**
 * The protections of steward.service that this process does not have, by their names in systemd.exec(5): a container may
 * lack the means, and a drop-in may reset them. None outside of that unit, which nothing was promised to. `root`: the prefix
 * of the system's paths.
 */
export function missingProtections(root = ""): string[] {
  const textOf = (path: string): string => readFileSync(`${root}/proc/self/${path}`, "utf8");
  if (!/\/steward\.service$/m.test(textOf("cgroup"))) return [];
  const status = textOf("status");
  const inStatus = (name: string): string => new RegExp(`^${name}:\\s*(\\w+)$`, "m").exec(status)?.[1] ?? "";
  // proc(5): the fourth field is the place in the file system, the fifth the mount point, the sixth its options.
  const mounts = textOf("mountinfo")
    .split("\n")
    .map((line) => line.split(" "));
  const mountAt = (path: string): readonly string[] => mounts.findLast((fields) => fields[4] === path) ?? [];
  const isReadOnly = (path: string): boolean => mountAt(path)[5]?.split(",").includes("ro") ?? false;
  const statsOf = (path: string) => statSync(`${root}${path}`, { throwIfNoEntry: false });
  // Also where it is not there.
  const isHidden = (path: string): boolean => ((statsOf(path)?.mode ?? 0) & 0o777) === 0;
  const holds: Readonly<Record<string, boolean>> = {
    NoNewPrivileges: inStatus("NoNewPrivs") === "1",
    CapabilityBoundingSet: (BigInt(`0x${inStatus("CapBnd") || "1"}`) & ~harmless) === 0n,
    SystemCallFilter: inStatus("Seccomp") === "2",
    ProtectSystem: isReadOnly("/"),
    ProtectHome: isHidden("/root") && isHidden("/home"),
    PrivateTmp: mountAt("/tmp")[3]?.includes("/systemd-private-") ?? false,
    ProtectProc: mountAt("/proc").some((field) => /hidepid=(invisible|2)\b/.test(field)),
    ProtectKernelTunables: isReadOnly("/proc/sys"),
    ProtectControlGroups: isReadOnly("/sys/fs/cgroup"),
  };
  return Object.keys(holds).filter((name) => !holds[name]);
}
