import { chmod, link, mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { systemErrorCode } from "../../contract/errors.ts";
import { storageError, syncDirectory, writeDurably } from "../../store/files/durable-file.ts";
import { keptHostFile, type ReadHostFile, readHostFile, textOfKept } from "./host-file.ts";

/**
 * Keeps the host file as the last accepted one, with its mode and group; where there is none any more, the kept copy goes.
 * As the user who owns the place, which for the usual one is root: what a process could write that faces the network,
 * decides nothing. Throws HostFileRefused, and then the copy stays; `storage_full`, `storage_unwritable`.
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
    // The agent reads in it, whatever the umask of this process is.
    if (made !== undefined) await chmod(dirname(kept), 0o755);
    await writeDurably(kept, read.text, mode & 0o777, { uid: owner, gid });
  } catch (error) {
    throw storageError(kept, error);
  }
  return read;
}

/**
 * Sets a host file aside, and puts the kept one in its place. The path of the one set aside; null: none is kept, and nothing
 * was changed. Throws the system's errors, `storage_full` and `storage_unwritable`.
 */
export async function restoreHostFile(path: string, uid: number | undefined): Promise<string | null> {
  const text = await textOfKept(path, uid);
  if (text === undefined || text === null) return null;
  const { mode, uid: owner, gid } = await stat(keptHostFile(path));
  const aside = `${path}.refused`;
  await rm(aside, { force: true });
  // Under both names until the other is written: an absent host file is an accepted one, and would be kept instead.
  await link(path, aside).catch((error: unknown) => {
    // A directory, or a file system without hard links.
    if (systemErrorCode(error) !== "EPERM") throw error;
    return rename(path, aside);
  });
  await writeDurably(path, text, mode & 0o777, { uid: owner, gid });
  return aside;
}
