import { readFileSync, realpathSync } from "node:fs";

/** The file system of a path, as this process sees it. */
export type Mount = NonNullable<ReturnType<typeof mountIn>>;

type Entry = NonNullable<ReturnType<typeof entryOf>>;

/** The table at the last look and what it says of a path: it seldom changes, and the agent looks every half minute. */
let last: { readonly mountinfo: string; readonly path: string; readonly mount: Mount | null } | undefined;

/** Null if it cannot be found out. Reads /proc and the kernel's knowledge of the path, no disk. */
export function mountOf(path: string): Mount | null {
  try {
    const seen = { mountinfo: readFileSync("/proc/self/mountinfo", "utf8"), path: realpathSync.native(path) };
    if (last?.mountinfo !== seen.mountinfo || last.path !== seen.path)
      last = { ...seen, mount: mountIn(seen.mountinfo, seen.path) };
    return last.mount;
  } catch {
    return null;
  }
}

/** Like mountOf, for an absolute path without links and the text of a mountinfo (proc_pid_mountinfo(5)). */
export function mountIn(mountinfo: string, path: string) {
  const above = mountinfo
    .split("\n")
    .flatMap((line) => entryOf(line) ?? [])
    .filter(({ point }) => point === "/" || path === point || path.startsWith(`${point}/`));
  let own: Entry | undefined;
  // The later of two mounts at one point covers the earlier.
  for (const entry of above) {
    if (!own || entry.point.length >= own.point.length) own = entry;
  }
  if (!own) return null;
  const { device, isViewReadOnly, isFileSystemReadOnly } = own;
  const inside = insideOf(own, path);
  // systemd mounts a service's directories over themselves: others know the file system by a directory further up.
  const outer = above.filter((entry) => entry.device === device && insideOf(entry, path) === inside);
  const point = outer.reduce(
    (best, entry) => (entry.point.length < best.length ? entry.point : best),
    own.point,
  );
  return {
    /** Its mount point, as root would give it to mount(8). */
    point,
    isReadOnly: isViewReadOnly || isFileSystemReadOnly,
    /** Only this process's view is read-only: made at its start, it misses a later `mount -o remount,rw`. */
    isReadOnlyHereAlone: isViewReadOnly && !isFileSystemReadOnly,
  };
}

function entryOf(line: string) {
  const [facts = "", more = ""] = line.split(" - ", 2);
  const [, , device = "", root = "", point = "", view] = facts.split(" ");
  const superOptions = more.split(" ")[2];
  // The last of them that is needed.
  if (view === undefined) return null;
  return {
    device,
    /** The directory of the file system that is mounted. */
    root: unescaped(root),
    point: unescaped(point),
    isViewReadOnly: hasReadOnly(view),
    isFileSystemReadOnly: hasReadOnly(superOptions ?? ""),
  };
}

/** ext4 says emergency_ro if it has stopped itself (Linux 6.15). */
function hasReadOnly(options: string): boolean {
  return options.split(",").some((option) => option === "ro" || option === "emergency_ro");
}

/** Spaces and the like are written in octal. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}

/** The place of the path within the file system itself; empty at its top. */
function insideOf({ root, point }: Entry, path: string): string {
  const rest = point === "/" ? path : path.slice(point.length);
  return `${root === "/" ? "" : root}${rest}`;
}
