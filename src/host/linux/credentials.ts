import { readdirSync, readFileSync } from "node:fs";
import { messageOf, StewardError, systemErrorCode } from "../../contract/errors.ts";
import { type ClockAddon, openClockAddon } from "./clock/clock-addon.ts";

/** The credentials by which the kernel decides about this process (credentials(7)). */
export interface Credentials
  extends Pick<ClockAddon, "setuid" | "setgid" | "seteuid" | "setegid" | "setgroups"> {
  geteuid(): number;
  getegid(): number;
  getgroups(): number[];
  /** The names of active resources, including calls to the file system. */
  getActiveResourcesInfo(): string[];
}

/** This process's credentials, by the addon: with Debian's libuv Node refuses. Without an addon: Node's own calls. */
export function openCredentials(addonPath: string, own: NodeJS.Process): Credentials {
  if (!isUnix(own)) throw new StewardError("internal_error", "Only Linux has the users that Steward needs.");
  const { geteuid, getegid, getgroups } = own;
  const { setuid, setgid, seteuid, setegid, setgroups } = openClockAddon(addonPath) ?? own;
  return {
    ...{ geteuid, getegid, getgroups, setuid, setgid, seteuid, setegid, setgroups },
    getActiveResourcesInfo: () => own.getActiveResourcesInfo(),
  };
}

function isUnix(own: NodeJS.Process): own is NodeJS.Process & Credentials {
  return own.seteuid !== undefined;
}

/** A user, and the groups that the process is in: by default that one. */
export interface User {
  readonly uid: number;
  readonly gid: number;
  readonly groups?: readonly number[];
}

/** Turns root into another user, also in `group` if it exists, with no way back. Throws `internal_error` unless all threads have. */
export function becomeUser(credentials: Credentials, { uid, gid }: User, group?: string): void {
  changing(() => {
    try {
      credentials.setgroups(group === undefined ? [gid] : [gid, group]);
    } catch {
      credentials.setgroups([gid]);
    }
    credentials.setgid(gid);
    credentials.setuid(uid);
    requireInAllThreads({ uid, gid }, [real, effective, saved, fileSystem]);
  });
}

/** Does `work` as another user; root's credentials come back in any case, else `internal_error` is thrown. */
export function asUser<T>(credentials: Credentials, { uid, gid, groups = [gid] }: User, work: () => T): T {
  const { getegid, getgroups, setgroups, setegid, seteuid } = credentials;
  const before = { gid: getegid(), groups: getgroups() };
  const undo: (() => void)[] = [];
  try {
    changing(() => {
      setgroups([...groups]);
      undo.unshift(() => setgroups(before.groups));
      setegid(gid);
      undo.unshift(() => setegid(before.gid));
      seteuid(uid);
      undo.unshift(() => seteuid(0));
      requireInAllThreads({ uid, gid }, [effective, fileSystem]);
    });
    return work();
  } finally {
    for (const step of undo) step();
  }
}

function changing(change: () => void): void {
  try {
    change();
  } catch (cause) {
    const why = messageOf(cause);
    throw new StewardError(
      "internal_error",
      `Root's rights cannot be given up, so nothing was done: ${why}. Install this version of Steward again.`,
      { cause },
    );
  }
}

/** The order of the ids in /proc/PID/status (proc(5)). */
const [real, effective, saved, fileSystem] = [0, 1, 2, 3] as const;

/** The C library leaves a thread of io_uring (SQPOLL) as root, and what Node hands to that with it: CVE-2024-22017. */
function requireInAllThreads({ uid, gid }: User, places: readonly number[]): void {
  const tasks = "/proc/self/task";
  for (const id of readdirSync(tasks)) {
    const status = statusOf(`${tasks}/${id}/status`);
    // It does one request with the credentials of that request, and ends.
    if (/^Name:\tiou-wrk-/.test(status)) continue;
    for (const [name, wanted] of [["Uid", uid] as const, ["Gid", gid] as const]) {
      const line = new RegExp(`^${name}:\t(.*)$`, "m").exec(status)?.[1];
      const ids = line?.split("\t").map(Number);
      if (ids && places.some((place) => ids[place] !== wanted))
        throw new Error(`the thread ${/^Name:\t(.*)$/m.exec(status)?.[1]} keeps its ${name} ${line}`);
    }
  }
}

/** Empty: the thread has ended. */
function statusOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (["ENOENT", "ESRCH"].includes(systemErrorCode(error) ?? "")) return "";
    throw error;
  }
}
