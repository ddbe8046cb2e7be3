import type { Stats } from "node:fs";
import { chmod, lstat, mkdir, readdir, readlink, rename, symlink, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { StewardError, systemErrorCode } from "../../contract/errors.ts";
import type { FreeSpace, RunCommand } from "../../host/ports.ts";
import type { ReleaseFiles } from "../../host/release-ports.ts";
import {
  removeLeftovers,
  storageError,
  syncDirectory,
  syncTree,
  temporaryName,
  writeDurably,
} from "../../store/files/durable-file.ts";
import { readRegular } from "../../store/files/regular-file.ts";
import { removeTree } from "./remove-tree.ts";

/** Milliseconds for a file system to write its cached data: 4 GiB at 10 MB/s, and the data of other programs. */
const syncMilliseconds = 600_000;

/**
 * The files of releases, in directories that only root writes. Leftovers of a killed change are removed by the next change
 * of the same path. Throws `state_damaged` too, if a file of another type is in the way.
 */
export function createReleaseFiles(run: RunCommand, freeSpace: FreeSpace): ReleaseFiles {
  return {
    read: (path, maximumBytes) => failing(path, () => readRegular(path, maximumBytes).catch(orNull)),
    write: (path, content, mode) =>
      failing(path, async () => {
        await removeLeftovers(path);
        await writeDurably(path, content, mode);
      }),
    makeDirectory: (path, mode) => failing(path, () => makeReal(path, mode)),
    names: (directory) => failing(directory, () => namesIn(directory)),
    remove: (path) => failing(path, () => removeAll(path)),
    move: (from, to) => failing(to, () => moveTo(from, to)),
    link: (path, target) =>
      failing(path, async () => {
        await removeLeftovers(path);
        await (target === null ? unlinkLink(path) : putLink(path, target));
      }),
    linkTarget: (path) => failing(path, () => targetOf(path)),
    sync: (directory) => failing(directory, () => syncBelow(directory, run)),
    freeBytes: (directory) => failing(directory, () => freeSpace(directory)),
  };
}

/** Turns the system's errors into `storage_*`. */
async function failing<T>(path: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof StewardError) throw error;
    throw storageError(path, error);
  }
}

function damaged(path: string, expected: string): StewardError {
  return new StewardError(
    "state_damaged",
    `${path} is not ${expected}. Another program must have put it there: remove it.`,
  );
}

/** null: there is nothing. */
async function statsOf(path: string): Promise<Stats | null> {
  return lstat(path).catch(orNull);
}

function orNull(error: unknown): null {
  if (["ENOENT", "ENOTDIR"].includes(systemErrorCode(error) ?? "")) return null;
  throw error;
}

/** From the top down, so that each directory is on the disk before its content. */
async function makeReal(path: string, mode: number): Promise<void> {
  const stats = await statsOf(path);
  if (stats?.isDirectory()) return;
  if (stats) throw damaged(path, "a directory");
  const parent = dirname(path);
  // It may be a link: an administrator may have put /var/lib on another disk.
  if (parent !== path && (await statsOf(parent)) === null) await makeReal(parent, mode);
  await mkdir(path, { mode });
  // The umask may have removed some bits.
  await chmod(path, mode);
  await syncDirectory(parent);
}

async function namesIn(directory: string): Promise<readonly string[]> {
  const stats = await statsOf(directory);
  if (stats === null) return [];
  if (!stats.isDirectory()) throw damaged(directory, "a directory");
  return (await readdir(directory)).sort();
}

async function removeAll(path: string): Promise<void> {
  if ((await statsOf(path)) === null) return;
  removeTree(path);
  await syncDirectory(dirname(path));
}

async function moveTo(from: string, to: string): Promise<void> {
  // rename(2) would replace an empty directory.
  if ((await statsOf(to))?.isDirectory()) throw damaged(to, "free for another directory");
  await rename(from, to);
  await syncDirectory(dirname(to));
  if (dirname(from) !== dirname(to)) await syncDirectory(dirname(from));
}

async function putLink(path: string, target: string): Promise<void> {
  const stats = await statsOf(path);
  if (stats && !stats.isSymbolicLink()) throw damaged(path, "a symbolic link");
  const temporary = temporaryName(path);
  try {
    await symlink(target, temporary);
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  await syncDirectory(dirname(path));
}

async function unlinkLink(path: string): Promise<void> {
  const stats = await statsOf(path);
  if (stats === null) return;
  if (!stats.isSymbolicLink()) throw damaged(path, "a symbolic link");
  await unlink(path);
  await syncDirectory(dirname(path));
}

async function targetOf(path: string): Promise<string | null> {
  return readlink(path).catch((error: unknown) => {
    if (systemErrorCode(error) === "EINVAL") throw damaged(path, "a symbolic link");
    return orNull(error);
  });
}

/** By syncfs(2), which sync(1) has and Node has not: one call for 65,536 files that reports failures. Else file by file. */
async function syncBelow(directory: string, run: RunCommand): Promise<void> {
  const limits = { timeoutMilliseconds: syncMilliseconds };
  const result = await run("sync", ["-f", "--", directory], limits).catch(orNull);
  if (result === null) return syncTree(directory);
  if (result.status === 0) return;
  const why = result.status === null ? "it took too long" : result.stderr.trim();
  throw new StewardError(
    "storage_unwritable",
    `The disk did not confirm that the files were written: ${why}.`,
  );
}
