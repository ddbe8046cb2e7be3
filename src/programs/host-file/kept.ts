import { chmod, link, mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { systemErrorCode } from "../../contract/errors.ts";
import { storageError, syncDirectory, writeDurably } from "../../store/files/durable-file.ts";
import { keptHostFile, type ReadHostFile, readHostFile, textOfKept } from "./host-file.ts";

/**
 * Keeps the host file as the last accepted one, with its mode and group; if there is none any more, the kept copy is
 * removed. It runs as the owner of the place, which for the usual one is root: a copy that a process with network
 * access could write must decide nothing. Throws HostFileRefused, and then the copy stays; `storage_full` and
 * `storage_unwritable`.
 */
export async function keepHostFile(path: string, uid: number | undefined): Promise<ReadHostFile> {
  const read = await readHostFile(path, uid);
  const kept = keptHostFile(path);
  if (read.text === (await textOfKept(path, uid))) return read;
  try {
    if (read.text === null) {
      await rm(kept, { force: true });
      await syncDirectory(dirname(kept));
      return read;
    }
    const { mode, uid: owner, gid } = await stat(path);
    const made = await mkdir(dirname(kept), { recursive: true });
    // The agent must be able to read in it, whatever the umask of this process is.
    if (made !== undefined) await chmod(dirname(kept), 0o755);
    await writeDurably(kept, read.text, mode & 0o777, { uid: owner, gid });
  } catch (error) {
    throw storageError(kept, error);
  }
  return read;
}

/**
 * Sets a host file aside, and puts the kept one in its place. Returns the path of the former; null: none is kept, and
 * nothing was changed. Throws the system's errors, `storage_full` and `storage_unwritable`.
 */
export async function restoreHostFile(path: string, uid: number | undefined): Promise<string | null> {
  const text = await textOfKept(path, uid);
  if (text === undefined || text === null) return null;
  const { mode, uid: owner, gid } = await stat(keptHostFile(path));
  const aside = `${path}.refused`;
  await rm(aside, { force: true });
  // The file has both names until the other is written: an absent host file is an accepted one, and would be kept
  // instead.
  await link(path, aside).catch((error: unknown) => {
    // A directory, or a file system without hard links.
    if (systemErrorCode(error) !== "EPERM") throw error;
    return rename(path, aside);
  });
  await writeDurably(path, text, mode & 0o777, { uid: owner, gid });
  return aside;
}
