import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { StewardError } from "../../contract/errors.ts";
import { storageError, syncDirectory, writeDurably } from "./durable-file.ts";
import { createReserve } from "./reserve.ts";

/** While this file is in a state directory, everything else there is to be deleted. */
const markerName = ".wipe";

/** The lock is held during the deletion, and a file system's own directory cannot be deleted. */
const kept: readonly string[] = [markerName, ".lock", "lost+found"];

/**
 * Ensures that the state directory is emptied before it is used again, also after a power cut. Throws `storage_full`
 * and `storage_unwritable`: then nothing has begun.
 */
export async function requestWipe(directory: string): Promise<void> {
  const path = join(directory, markerName);
  await writeDurably(path, "").catch(async (error: unknown) => {
    const isFull = error instanceof StewardError && error.code === "storage_full";
    if (!isFull || !(await createReserve(directory).release())) throw error;
    await writeDurably(path, "");
  });
}

export function isWipeRequested(directory: string): boolean {
  return existsSync(join(directory, markerName));
}

/**
 * Empties a state directory whose deletion was requested, under the caller's lock; returns true if it was requested.
 * The request is deleted last: after a power cut the next call continues. Throws `storage_unwritable`.
 */
export async function finishWipe(directory: string): Promise<boolean> {
  if (!isWipeRequested(directory)) return false;
  try {
    const names = (await readdir(directory)).filter((name) => !kept.includes(name));
    for (const name of names) await rm(join(directory, name), { recursive: true, force: true });
    await syncDirectory(directory);
    await rm(join(directory, markerName), { force: true });
    await syncDirectory(directory);
    return true;
  } catch (error) {
    throw storageError(directory, error);
  }
}
