import { findDiskTrouble, spaceOf } from "../../store/files/disk.ts";
import { mountOf } from "../../store/files/mount.ts";
import { formatBytes } from "../system/facts-view.ts";
import type { DoctorContext } from "./doctor-context.ts";
import { type Entry, entriesOf, entryOf } from "./finding.ts";

const { ok, unseen } = entriesOf("disk");

/** The file systems of state, releases and runtime files: whether they can be written, and their free space. */
export async function lookAtDisk({ places }: DoctorContext): Promise<Entry[]> {
  const directories = [places.stateDirectory, places.releasesDirectory, places.runDirectory];
  const seen = new Map<string, string>();
  for (const directory of directories) {
    const point = mountOf(directory)?.point;
    if (point !== undefined && !seen.has(point)) seen.set(point, directory);
  }
  const found = await Promise.all([...seen].map(([point, directory]) => examine(point, directory)));
  return found.length > 0 ? found : [unseen("no_directories", `None of ${directories.join(", ")} is there.`)];
}

async function examine(point: string, directory: string): Promise<Entry> {
  const mount = mountOf(directory);
  // The restart that gives a service another view of its file system gives a shell none.
  const trouble = findDiskTrouble(directory, mount && { ...mount, isReadOnlyHereAlone: false });
  if (trouble !== null) return entryOf(trouble);
  const { freeBytes } = spaceOf(directory);
  return ok("writable", `${point} can be written and has ${formatBytes(freeBytes)} free.`);
}
