import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file system in memory, on every Linux; a container may have a small one, or one that runs no programs. */
const memory = "/dev/shm";

/** Bytes that the tests need at the most at one time, and as much again. */
const neededBytes = 2 * 1024 ** 3;

/** A directory for temporary files, in memory when there is room, since a test mostly waits for a disk. */
export function makeTemporaryDirectory(): { readonly directory: string; remove(): void } {
  const directory = mkdtempSync(join(isUsable() ? memory : tmpdir(), "steward-"));
  // As /tmp: some tests run programs as other users.
  chmodSync(directory, 0o1777);
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }) };
}

function isUsable(): boolean {
  const [, options = "noexec"] = / \/dev\/shm \S+ (\S+)/.exec(readFileSync("/proc/mounts", "utf8")) ?? [];
  const { bavail, bsize } = statfsSync(memory);
  return !options.split(",").includes("noexec") && bavail * bsize >= neededBytes;
}
