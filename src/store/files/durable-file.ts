import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, rm, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { StewardError, systemErrorCode } from "../../contract/errors.ts";
import { storageAdvice } from "./storage-advice.ts";

/**
 * How the names begin under which the next content of `path` is made. Hidden, like the lock and the reserve: what the
 * first write of a new device left when it was cut short must not look like state that has lost its other half.
 */
export function temporaryPrefix(path: string): string {
  return `${dirname(path)}/.${basename(path)}.`;
}

/** The user and the group of a file. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

const privateMode = 0o600;

/**
 * Puts `content` in the place of `path` so that a crash or a power cut leaves the old or the new content, whole:
 * temporary file, fsync, rename, fsync of the directory. `owner`: another than the user of this process, who is root then.
 *
 * Throws `storage_full` or `storage_unwritable`; then `path` is as it was, except when the last fsync failed
 * (`isReplaced(error)`): the new content is in place, but a power cut may take it back.
 */
export async function writeDurably(
  path: string,
  content: string | Uint8Array,
  mode = privateMode,
  owner?: Owner,
): Promise<void> {
  const temporary = `${temporaryPrefix(path)}${randomBytes(6).toString("hex")}.tmp`;
  try {
    const file = await open(temporary, "wx", privateMode);
    await closing(file, async () => {
      if (owner !== undefined) await file.chown(owner.uid, owner.gid);
      // What others are to read they may read, whatever the umask of this process takes away.
      if (mode !== privateMode) await file.chmod(mode);
      await file.writeFile(content);
      await file.sync();
    });
    await rename(temporary, path).catch(async (error: unknown) => {
      if (systemErrorCode(error) !== "EISDIR") throw error;
      // A directory in its place was made by another program: it is kept beside.
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

/** Makes a directory of the agent's own, where it is absent, so that it survives a power cut. Throws `storage_full` or `storage_unwritable`. */
export async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdirWithParents(path);
  } catch (cause) {
    const why = systemErrorCode(cause) ?? String(cause);
    const code = isFullDisk(cause) ? "storage_full" : "storage_unwritable";
    const text = `The directory ${path} cannot be made (${why}). ${storageAdvice(why, nearestPresent(path))}`;
    throw new StewardError(code, text, { cause });
  }
}

/** The directory above that is there already. */
function nearestPresent(path: string): string {
  const above = dirname(path);
  return existsSync(above) ? above : nearestPresent(above);
}

/**
 * From the top down, each on the disk before what lies in it. `recursive` alone says ENOENT for every reason why a
 * directory cannot be made, a full disk among them.
 */
async function mkdirWithParents(path: string): Promise<void> {
  const mode = 0o700;
  const code = await mkdir(path, { mode }).then(
    () => null,
    (error: unknown) => {
      const why = systemErrorCode(error);
      if (why === "EEXIST" || why === "ENOENT") return why;
      throw error;
    },
  );
  if (code === "ENOENT") await mkdirWithParents(dirname(path));
  // Refused where something else lies there.
  if (code !== null) await mkdir(path, { recursive: true, mode });
  if (code !== "EEXIST") await syncDirectory(dirname(path));
}

/** Makes a rename or an unlink in `directory` survive a power cut. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  await closing(handle, () => handle.sync());
}

/** True when the failed write is nevertheless what a reader finds now. */
export function isReplaced(error: unknown): boolean {
  return error instanceof ReplacedButNotSynced;
}

/** Removes what writers of `path` left behind when they were killed. */
export async function removeLeftovers(path: string): Promise<void> {
  const prefix = basename(temporaryPrefix(path));
  for (const name of await readdir(dirname(path))) {
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

/** What a failure to write `path` is called, and what to do about it: `storage_full` or `storage_unwritable`. */
export function storageError(path: string, cause: unknown): StewardError {
  // It has been called so already.
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

/** A state directory that cannot even be read: `storage_unwritable`. */
export function unusableDirectory(directory: string, cause: unknown): StewardError {
  const code = systemErrorCode(cause) ?? String(cause);
  const text = `The state directory ${directory} cannot be used (${code}). ${storageAdvice(code, directory)}`;
  return new StewardError("storage_unwritable", text, { cause });
}

function isFullDisk(cause: unknown): boolean {
  const code = systemErrorCode(cause);
  return code === "ENOSPC" || code === "EDQUOT";
}
