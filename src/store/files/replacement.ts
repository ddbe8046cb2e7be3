import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { StewardError } from "../../contract/errors.ts";
import { makeDirectory, removeLeftovers, storageError, syncDirectory, writeDurably } from "./durable-file.ts";
import { openRegular, readRegular, readRegularSync } from "./regular-file.ts";

/** In this directory of a state directory another state is made ready, which then replaces the whole present one. */
const placeName = ".restore";

/** While this file is in a state directory, the replacement is decided. */
const markerName = ".restore.json";

/** The lock is held meanwhile, and a file system's own directory cannot be deleted. */
const kept: readonly string[] = [placeName, markerName, ".lock", "lost+found"];

/** A file outside of the state directory, which another user writes, with the content that it must have. */
export interface AwaitedFile {
  readonly path: string;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

interface Marker {
  /** Names of the next state: one of them that is no longer in its place has been moved. */
  readonly names: readonly string[];
  readonly awaits: readonly AwaitedFile[];
}

/** Bytes of a marker: some hundred names. */
const mostMarkerBytes = 1024 * 1024;

/** Bytes of a file that is awaited. */
const mostAwaitedBytes = 16 * 1024 * 1024;

/** The place of the next state, and beside it that of whatever it is made of. */
export function replacementPlace(directory: string): { readonly directory: string; readonly state: string } {
  const place = join(directory, placeName);
  return { directory: place, state: join(place, "state") };
}

/**
 * Decides that the state in its place replaces the present one when that is opened next, also after a power cut. With
 * `awaits`, only if these files are then as they say. Throws `storage_full` and `storage_unwritable`: then nothing is
 * decided.
 */
export async function decideReplacement(
  directory: string,
  awaits: readonly AwaitedFile[] = [],
): Promise<void> {
  const { directory: place, state } = replacementPlace(directory);
  try {
    await syncTree(state);
    await syncDirectory(place);
    await syncDirectory(directory);
    const names = await readdir(state);
    await writeMarker(directory, { names, awaits });
  } catch (error) {
    throw storageError(state, error);
  }
}

/**
 * True if a decided replacement will be carried out when the state is opened next, which one that awaits files may not.
 * Throws `state_damaged`.
 */
export function isReplacementDecided(directory: string): boolean {
  return readMarker(directory)?.awaits.length === 0;
}

/** Deletes whatever was made ready. Throws `storage_unwritable`. */
export async function dropReplacement(directory: string): Promise<void> {
  try {
    await rm(join(directory, markerName), { force: true });
    await removeLeftovers(join(directory, markerName));
    await syncDirectory(directory);
    await rm(replacementPlace(directory).directory, { recursive: true, force: true });
  } catch (error) {
    throw storageError(directory, error);
  }
}

/**
 * Carries out a decided replacement, under the caller's lock; returns true if there was one. After a power cut the next
 * call continues. A state that was made ready and not decided, or still awaits a file, is deleted. Throws
 * `storage_unwritable` and `state_damaged`.
 */
export async function finishReplacement(directory: string): Promise<boolean> {
  const marker = readMarker(directory);
  if (marker === null || !(await isFulfilled(marker.awaits))) {
    if (marker !== null || existsSync(replacementPlace(directory).directory))
      await dropReplacement(directory);
    return false;
  }
  const { state } = replacementPlace(directory);
  try {
    // From the first deletion on there is no way back, whatever becomes of the files that it has awaited.
    if (marker.awaits.length > 0) await writeMarker(directory, { ...marker, awaits: [] });
    const left = await readdir(state);
    const hasArrived = (name: string) => marker.names.includes(name) && !left.includes(name);
    for (const name of await readdir(directory))
      if (!kept.includes(name) && !hasArrived(name))
        await rm(join(directory, name), { recursive: true, force: true });
    for (const name of left) await rename(join(state, name), join(directory, name));
    await syncDirectory(directory);
  } catch (error) {
    throw storageError(directory, error);
  }
  await dropReplacement(directory);
  return true;
}

async function isFulfilled(awaits: readonly AwaitedFile[]): Promise<boolean> {
  const found = await Promise.all(
    awaits.map(async ({ path, sha256 }) => (await hashOfFile(path).catch(() => "")) === sha256),
  );
  return found.every(Boolean);
}

/** The SHA-256 of a file that root has written, in hexadecimal digits. Throws NotRegular and the system's errors. */
export async function hashOfFile(path: string): Promise<string> {
  const content = await readRegular(path, mostAwaitedBytes);
  return createHash("sha256").update(content).digest("hex");
}

function writeMarker(directory: string, marker: Marker): Promise<void> {
  return writeDurably(join(directory, markerName), JSON.stringify(marker));
}

function hasMarker(directory: string): boolean {
  return existsSync(join(directory, markerName));
}

function readMarker(directory: string): Marker | null {
  if (!hasMarker(directory)) return null;
  try {
    const text = readRegularSync(join(directory, markerName), mostMarkerBytes).toString("utf8");
    const { names, awaits } = JSON.parse(text) as Marker;
    if (Array.isArray(names) && Array.isArray(awaits)) return { names, awaits };
  } catch {
    // Falls through: damage and an unknown form have the same error.
  }
  const what = `A backup was to be restored, and ${markerName}, which says so, is damaged.`;
  const repair = `As root: rm ${join(directory, markerName)}; then restore the backup again.`;
  throw new StewardError("state_damaged", `${what} ${repair}`);
}

/** Makes all of a directory survive a power cut. */
async function syncTree(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await syncTree(path);
    else {
      const { file } = await openRegular(path);
      await file.sync().finally(() => file.close());
    }
  }
  await syncDirectory(directory);
}

/**
 * Makes an empty place for the next state, for this user only; an earlier decision is void. Throws `storage_full` and
 * `storage_unwritable`.
 */
export async function makeReplacementPlace(directory: string): Promise<void> {
  const { directory: place, state } = replacementPlace(directory);
  await emptyReplacementPlace(directory);
  await makeDirectory(place);
  await makeDirectory(state);
}

/** Deletes the next state and a decision for it, and keeps what it was made of. Throws `storage_unwritable`. */
export async function emptyReplacementPlace(directory: string): Promise<void> {
  const { state } = replacementPlace(directory);
  try {
    if (hasMarker(directory)) {
      await rm(join(directory, markerName), { force: true });
      await syncDirectory(directory);
    }
    await rm(state, { recursive: true, force: true });
  } catch (error) {
    throw storageError(state, error);
  }
}
