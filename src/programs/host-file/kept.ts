import { chmod, link, mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { systemErrorCode } from "../../contract/errors.ts";
import { storageError, syncDirectory, writeDurably } from "../../store/files/durable-file.ts";
import { keptHostFile, type Reader, readHostFile, triedDocument } from "./host-file.ts";

/**
 * Keeps the host file as the last accepted one, with its mode and group; if there is none any more, the kept copy is
 * removed. It runs as the owner of the place, which for the usual one is root: a copy that a process with network
 * access could write must decide nothing. Throws HostFileRefused, and then the copy stays; `storage_full` and
 * `storage_unwritable`.
 */
export async function keepHostFile(path: string, ...reader: Reader): Promise<void> {
  const kept = keptHostFile(path);
  const { text } = await readHostFile(path, ...reader);
  if (text === (await triedDocument(kept, path, reader))?.text) return;
  try {
    if (text === null) {
      await rm(kept, { force: true });
      return await syncDirectory(dirname(kept));
    }
    const made = await mkdir(dirname(kept), { recursive: true });
    // The agent must be able to read in it, whatever the umask of this process is.
    if (made !== undefined) await chmod(dirname(kept), 0o755);
    await copyOf(path, kept, text);
    await openToAgent(kept, path, reader);
  } catch (error) {
    throw storageError(kept, error);
  }
}

/**
 * Sets a host file aside, and puts the kept one in its place. Returns the path of the former; null: none is kept, and
 * nothing was changed. Throws the system's errors, `storage_full` and `storage_unwritable`.
 */
export async function restoreHostFile(path: string, ...reader: Reader): Promise<string | null> {
  const kept = keptHostFile(path);
  // By root's own rights: what it puts in place, it opens to the agent.
  const text = (await triedDocument(kept, path, [reader[0]]))?.text ?? null;
  if (text === null) return null;
  const aside = `${path}.refused`;
  await rm(aside, { force: true });
  // The file has both names until the other is written: an absent host file is an accepted one, and would be kept
  // instead.
  await link(path, aside).catch((error: unknown) => {
    // A directory, or a file system without hard links.
    if (systemErrorCode(error) !== "EPERM") throw error;
    return rename(path, aside);
  });
  await copyOf(kept, path, text);
  await openToAgent(path, path, reader);
  return aside;
}

async function copyOf(file: string, copy: string, text: string): Promise<void> {
  const { mode, uid, gid } = await stat(file);
  await writeDurably(copy, text, mode & 0o777, { uid, gid });
}

/** A host file has no secret, and one that the agent cannot read is none: then every user may. */
async function openToAgent(file: string, path: string, reader: Reader): Promise<void> {
  if ((await triedDocument(file, path, reader)) === null) await chmod(file, 0o644);
}
