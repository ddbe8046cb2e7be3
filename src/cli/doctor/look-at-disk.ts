import { statfs } from "node:fs/promises";
import { mountOf } from "../../store/files/mount.ts";
import { fullAdvice, readOnlyAdvice } from "../../store/files/storage-advice.ts";
import { formatBytes } from "../system/facts-view.ts";
import { type Finding, findingsOf } from "./finding.ts";
import type { Ground } from "./ground.ts";

const { ok, failing, unseen } = findingsOf("disk");

/** As the agent's own check has them (docs/state.md). */
const leastBytes = 16 * 1024 * 1024;
const leastInodes = 256;

/** The file systems of state, releases and runtime files: whether they can be written, and their free space. */
export async function lookAtDisk({ places }: Ground): Promise<Finding[]> {
  const directories = [places.stateDirectory, places.releasesDirectory, places.runDirectory];
  const seen = new Map<string, string>();
  for (const directory of directories) {
    const point = mountOf(directory)?.point;
    if (point !== undefined && !seen.has(point)) seen.set(point, directory);
  }
  const found = await Promise.all([...seen].map(([point, directory]) => examine(point, directory)));
  return found.length > 0
    ? found
    : [unseen({ code: "no_directories", what: `None of ${directories.join(", ")} is there.` })];
}

async function examine(point: string, directory: string): Promise<Finding> {
  const { bavail, bsize, ffree, files } = await statfs(directory);
  if (mountOf(directory)?.isReadOnly) {
    return failing({
      code: "read_only",
      what: `The file system at ${point} is mounted read-only; ${directory} lies on it.`,
      meaning: `Sign-in works, and changes are refused. ${readOnlyAdvice(directory)}`,
      command: `mount -o remount,rw ${point}`,
    });
  }
  const free = bavail * bsize;
  // Some file systems have no fixed number of inodes, and say 0 of 0.
  const areInodesShort = files > 0 && ffree < leastInodes;
  if (free < leastBytes || areInodesShort) {
    const left = areInodesShort ? `${ffree} files` : formatBytes(free);
    return failing({
      code: "full",
      what: `The file system at ${point} has room for ${left} more; ${directory} lies on it.`,
      meaning: `Sign-in works, and changes are refused. ${fullAdvice(point)}`,
      command: `du -xah ${point} | sort -h | tail -n 20`,
    });
  }
  return ok({ code: "writable", what: `${point} can be written and has ${formatBytes(free)} free.` });
}
