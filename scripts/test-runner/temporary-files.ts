import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file system in memory, on every Linux; a container may have a small one, or one that runs no programs. */
const memory = "/dev/shm";

/** Bytes that the tests need at the most at one time, and as much again. */
const neededBytes = 2 * 1024 ** 3;

/** Makes one directory for all temporary files of this process and what it starts. Gives back how to remove it. */
export function beginTemporaryFiles(): () => void {
  const { directory, remove } = makeTemporaryDirectory();
  process.env.TMPDIR = directory;
  return remove;
}

/** A run of tests has its temporary files in memory when there is room, since a test mostly waits for a disk. */
export function makeTemporaryDirectory(): { readonly directory: string; remove(): void } {
  const directory = mkdtempSync(join(isUsable(memory) ? memory : tmpdir(), "steward-"));
  // As /tmp: some tests run programs as other users.
  chmodSync(directory, 0o1777);
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }) };
}

function isUsable(directory: string): boolean {
  const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
  const options = mounts.find((mount) => mount.split(" ")[1] === directory)?.split(" ")[3];
  if (options === undefined || options.split(",").includes("noexec")) return false;
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize >= neededBytes;
}
