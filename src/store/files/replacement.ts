import { existsSync } from "node:fs";
import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, StewardError, systemErrorCode } from "../../contract/errors.ts";
import {
  makeDirectory,
  removeLeftovers,
  storageError,
  syncDirectory,
  syncTree,
  writeDurably,
} from "./durable-file.ts";
import { moveTree } from "./move-directory.ts";

/** In this directory of a state directory another state is made ready, which then replaces the whole present one. */
const placeName = ".restore";

/** While this file is in a state directory, the replacement is decided. */
const markerName = ".restore.json";

/** The lock is held meanwhile, and a file system's own directory cannot be moved. */
const kept: readonly string[] = [placeName, markerName, ".lock", "lost+found"];

/** The place of the next state, and beside it that of whatever it is made of. */
export function replacementPlace(directory: string) {
  const place = join(directory, placeName);
  return {
    directory: place,
    state: join(place, "state"),
    /** The part of the former state that has left its place. */
    leaving: join(place, "leaving"),
    /** The former state, once all of it is aside: from then on the state directory holds only parts of the next one. */
    former: join(place, "former"),
  };
}

/**
 * Decides that the state in its place replaces the present one when that is opened next, also after a power cut. Throws
 * `storage_full` and `storage_unwritable`: then nothing is decided.
 */
export async function decideReplacement(directory: string): Promise<void> {
  const { directory: place, state } = replacementPlace(directory);
  try {
    await syncTree(state);
    await syncDirectory(place);
    await syncDirectory(directory);
    await writeDurably(join(directory, markerName), "");
  } catch (error) {
    throw storageError(state, error);
  }
}

/** True if a replacement will be carried out when the state is opened next. */
export function isReplacementDecided(directory: string): boolean {
  return existsSync(join(directory, markerName));
}

/** Deletes whatever was made ready. Throws `state_damaged` if it is being carried out, and `storage_unwritable`. */
export async function dropReplacement(directory: string): Promise<void> {
  refuseBegun(directory);
  await drop(directory, replacementPlace(directory).directory);
}

/** The decision goes first: without it, whatever is left of the place is deleted by the next call. */
async function drop(directory: string, ...places: readonly string[]): Promise<void> {
  try {
    await rm(join(directory, markerName), { force: true });
    await removeLeftovers(join(directory, markerName));
    await syncDirectory(directory);
    for (const place of places) await rm(place, { recursive: true, force: true });
  } catch (error) {
    throw storageError(directory, error);
  }
}

/**
 * Carries out a decided replacement, under the caller's lock; returns true if there was one. The former state is moved
 * aside, and deleted once all of the next one is in its place; if a part cannot be moved, all is moved back, and the
 * decision is void. After a power cut the next call continues. A state that was made ready and not decided is deleted.
 * Throws `storage_full` and `storage_unwritable`.
 */
export async function finishReplacement(directory: string): Promise<boolean> {
  const { directory: place } = replacementPlace(directory);
  const isDecided = isReplacementDecided(directory);
  if (isDecided) await replace(directory).catch((error) => moveBack(directory, error));
  if (isDecided || existsSync(place)) await drop(directory, place);
  return isDecided;
}

async function replace(directory: string): Promise<void> {
  const { directory: place, state, leaving, former } = replacementPlace(directory);
  if (!existsSync(former)) {
    await makeDirectory(leaving);
    await moveAll(directory, leaving);
    await rename(leaving, former);
    await syncDirectory(place);
  }
  await moveAll(state, directory);
}

/** Throws the error of the replacement, or `storage_unwritable` if the next start has to go on with it. */
async function moveBack(directory: string, cause: unknown): Promise<never> {
  const { directory: place, state, leaving, former } = replacementPlace(directory);
  try {
    if (existsSync(former)) {
      await makeDirectory(state);
      await moveAll(directory, state);
      await rename(former, leaving);
      await syncDirectory(place);
    }
    if (existsSync(leaving)) await moveAll(leaving, directory);
  } catch (error) {
    throw storageError(directory, error);
  }
  await drop(directory, place);
  const { code } = storageError(directory, cause);
  const why = systemErrorCode(cause) ?? messageOf(cause);
  const text = `The backup was not restored (${why}), and the state is as it was. Look at the disk of ${directory}, then restore it again.`;
  throw new StewardError(code, text, { cause });
}

/** New names are on the disk before the old ones leave it. */
async function moveAll(from: string, to: string): Promise<void> {
  for (const name of await readdir(from))
    if (!kept.includes(name)) await moveTree(join(from, name), join(to, name));
  await syncDirectory(to);
  await syncDirectory(from);
}

/** The former state is in the place then. Throws `state_damaged`. */
function refuseBegun(directory: string): void {
  const { leaving, former } = replacementPlace(directory);
  if (!isReplacementDecided(directory) || !(existsSync(leaving) || existsSync(former))) return;
  throw new StewardError(
    "state_damaged",
    "Restoring a backup has begun, but a fault of the disk has stopped it. The agent continues when it starts: systemctl restart steward.",
  );
}

/**
 * Makes an empty place for the next state, for this user only; an earlier decision is void. Throws `state_damaged` if it
 * is being carried out, `storage_full` and `storage_unwritable`.
 */
export async function makeReplacementPlace(directory: string): Promise<void> {
  const { directory: place, state } = replacementPlace(directory);
  await emptyReplacementPlace(directory);
  await makeDirectory(place);
  await makeDirectory(state);
}

/** Deletes the next state and a decision for it, and keeps what it was made of. Throws as `makeReplacementPlace`. */
export async function emptyReplacementPlace(directory: string): Promise<void> {
  refuseBegun(directory);
  const { state, leaving, former } = replacementPlace(directory);
  await drop(directory, state, leaving, former);
}
