import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, renameSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { chmod, type FileHandle, mkdir, open, readdir, rename, rm, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { StewardError, systemErrorCode } from "../../contract/errors.ts";
import { openRegular } from "./regular-file.ts";
import { storageAdvice } from "./storage-advice.ts";

/**
 * The beginning of the names of temporary files for `path`. They are hidden, like the lock and the reserve: a first
 * write of a new device that was cut short must not leave a file that looks like damaged state.
 */
export function temporaryPrefix(path: string): string {
  return `${dirname(path)}/.${basename(path)}.`;
}

/** A temporary name beside `path`. */
export function temporaryName(path: string): string {
  return `${temporaryPrefix(path)}${randomBytes(6).toString("hex")}.tmp`;
}

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

const privateMode = 0o600;

/**
 * Replaces the content of `path` so that a crash or a power cut leaves the old or the new content, whole: temporary
 * file, fsync, rename, fsync of the directory. `owner`: an owner other than the user of this process, which then must
 * be root. Throws `storage_full` or `storage_unwritable`; then `path` is as it was, except when the last fsync failed
 * (`isReplaced(error)`): the new content is in place, but a power cut may undo it.
 */
export async function writeDurably(
  path: string,
  content: string | Uint8Array | Iterable<Uint8Array>,
  mode = privateMode,
  owner?: Owner,
): Promise<void> {
  const temporary = temporaryName(path);
  const pieces = typeof content === "string" || content instanceof Uint8Array ? [content] : content;
  try {
    const file = await open(temporary, "wx", privateMode);
    await closing(file, async () => {
      if (owner !== undefined) await file.chown(owner.uid, owner.gid);
      // A mode for other readers holds whatever the umask of this process is.
      if (mode !== privateMode) await file.chmod(mode);
      for (const piece of pieces) await file.writeFile(piece);
      await file.sync();
    });
    await rename(temporary, path).catch(async (error: unknown) => {
      if (systemErrorCode(error) !== "EISDIR") throw error;
      // Another program has made a directory in its place: it is kept under another name.
      await rename(path, `${path}.bad`);
      await rename(temporary, path);
    });
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw storageError(path, error);
  }
  try {
    await syncDirectory(dirname(path));
  } catch (error) {
    throw new ReplacedButNotSynced(path, error);
  }
}

/**
 * Replaces the content of a file in the run directory: whole, as `writeDurably` does it, but that directory is in memory,
 * where nothing outlasts a power cut and no disk is waited for. Throws as `writeDurably` does.
 */
export function writeInMemory(path: string, content: string): void {
  const temporary = temporaryName(path);
  try {
    writeFileSync(temporary, content, { flag: "wx", mode: privateMode });
    try {
      renameSync(temporary, path);
    } catch (error) {
      if (systemErrorCode(error) !== "EISDIR") throw error;
      renameSync(path, `${path}.bad`);
      renameSync(temporary, path);
    }
  } catch (error) {
    removeIfPossible(temporary);
    throw storageError(path, error);
  }
}

function removeIfPossible(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It was not made, or the directory takes nothing at all.
  }
}

/** Makes an absent directory so that it survives a power cut. Throws `storage_full`, `storage_unwritable`. */
export async function makeDirectory(path: string, mode = 0o700): Promise<void> {
  if (isDirectory(path)) return;
  try {
    await mkdirWithParents(path, mode);
  } catch (cause) {
    const why = systemErrorCode(cause) ?? String(cause);
    const code = isFullDisk(cause) ? "storage_full" : "storage_unwritable";
    const text = `The directory ${path} cannot be made (${why}). ${storageAdvice(why, nearestPresent(path))}`;
    throw new StewardError(code, text, { cause });
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function nearestPresent(path: string): string {
  const above = dirname(path);
  return existsSync(above) ? above : nearestPresent(above);
}

/** Makes parents from the top down, each on disk first. `recursive` reports ENOENT for any failure, also a full disk. */
async function mkdirWithParents(path: string, mode: number): Promise<void> {
  const code = await mkdir(path, { mode }).then(
    () => null,
    (error: unknown) => {
      const why = systemErrorCode(error);
      if (why === "EEXIST" || why === "ENOENT") return why;
      throw error;
    },
  );
  if (code === "ENOENT") await mkdirWithParents(dirname(path), mode);
  // Fails if something else is in its place.
  if (code !== null) await mkdir(path, { recursive: true, mode });
  // A mode for other readers holds whatever the umask of this process is.
  if (code !== "EEXIST" && mode !== 0o700) await chmod(path, mode);
  if (code !== "EEXIST") await syncDirectory(dirname(path));
}

/** Makes a rename or an unlink in `directory` survive a power cut. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  await closing(handle, () => handle.sync());
}

/** Makes all the files of a directory survive a power cut, below it as well. */
export async function syncTree(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await syncTree(path);
    else if (entry.isFile()) {
      const { file } = await openRegular(path);
      await file.sync().finally(() => file.close());
    }
  }
  await syncDirectory(directory);
}

/** True if a reader now finds the new content although the write failed. */
export function isReplaced(error: unknown): boolean {
  return error instanceof ReplacedButNotSynced;
}

/** Removes the temporary files of writers of `path` that were killed. `names`: all in its directory, if it was listed. */
export async function removeLeftovers(path: string, names?: readonly string[]): Promise<void> {
  const prefix = `.${basename(path)}.`;
  for (const name of names ?? readdirSync(dirname(path))) {
    if (!name.startsWith(prefix)) continue;
    await rm(join(dirname(path), name), { recursive: true, force: true }).catch(() => undefined);
  }
}

class ReplacedButNotSynced extends StewardError {
  constructor(path: string, cause: unknown) {
    super("storage_unwritable", `${basename(path)} was replaced, but the disk would not confirm it`, {
      cause,
    });
  }
}

async function closing(handle: FileHandle, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } finally {
    await handle.close();
  }
}

/** The error for a failure to write `path`, with advice: `storage_full` or `storage_unwritable`. */
export function storageError(path: string, cause: unknown): StewardError {
  // It is such an error already.
  if (cause instanceof StewardError) return cause;
  const code = systemErrorCode(cause) ?? String(cause);
  const name = basename(path);
  const advice = storageAdvice(code, dirname(path));
  if (isFullDisk(cause)) {
    return new StewardError("storage_full", `The disk is full: ${name} was not changed. ${advice}`, {
      cause,
    });
  }
  const text = `${name} cannot be written (${code}) and was not changed. ${advice}`;
  return new StewardError("storage_unwritable", text, { cause });
}

/** The error for a state directory that cannot even be read: `storage_unwritable`. */
export function unusableDirectory(directory: string, cause: unknown): StewardError {
  const code = systemErrorCode(cause) ?? String(cause);
  const text = `The state directory ${directory} cannot be used (${code}). ${storageAdvice(code, directory)}`;
  return new StewardError("storage_unwritable", text, { cause });
}

function isFullDisk(cause: unknown): boolean {
  const code = systemErrorCode(cause);
  return code === "ENOSPC" || code === "EDQUOT";
}
