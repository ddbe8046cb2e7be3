import { chmod, copyFile, link, open, readdir, readFile, rename, rm, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { rethrown, StewardError, systemErrorCode } from "../contract/errors.ts";
import { jsonOf } from "../contract/text/json-of.ts";
import { textOf } from "../contract/text/text-of.ts";
import {
  makeDirectory,
  storageError,
  syncDirectory,
  temporaryName,
  writeDurably,
} from "../store/files/durable-file.ts";

/** Published files must be readable for a web server; the umask of the program would restrict them to their owner. */
export const publicMode = 0o644;
export const privateMode = 0o600;

/** Links an existing file of another directory to `path`, as durably as writeDurably. */
export async function putCopy(from: string, path: string): Promise<void> {
  const temporary = temporaryName(path);
  try {
    await link(from, temporary).catch(async (error: unknown) => {
      if (!/^(EXDEV|EPERM|ENOTSUP|EOPNOTSUPP|EMLINK)$/.test(systemErrorCode(error) ?? "")) throw error;
      await copyFile(from, temporary);
    });
    await chmod(temporary, publicMode);
    const file = await open(temporary, "r");
    try {
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    // If both are names of one file, rename(2) does nothing and leaves the first.
    await rm(temporary, { force: true });
    await syncDirectory(dirname(path));
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw storageError(path, error);
  }
}

/** Makes a directory and those above it, open to a web server. */
export function makePublicDirectory(path: string): Promise<void> {
  return makeDirectory(path, 0o755);
}

/** The bytes of the file; null if it does not exist. */
export async function readIfThere(path: string): Promise<Uint8Array | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return null;
    throw unreadable(path, error);
  }
}

/** The text of a file that a person names. Throws as `unreadable` says, and `validation_failed` for what is no text. */
export async function readText(path: string): Promise<string> {
  const bytes = await readFile(path).catch(rethrown((error) => unreadable(path, error)));
  return textOf(bytes, { refuse: (why) => noText(path, why) });
}

/** The value of such a file, which is JSON. */
export async function readJson(path: string): Promise<unknown> {
  return jsonOf(await readText(path), (why) => noText(path, why));
}

export function noText(path: string, why: string): StewardError {
  return new StewardError("validation_failed", `${path} ${why}. Nothing was changed.`);
}

export async function removeFile(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
    await syncDirectory(dirname(path));
  } catch (error) {
    throw storageError(path, error);
  }
}

/** The names of temporary files and directories of this room. None of them is needed after its command. */
const leftover = /(^|\/)\.[^/]*\.tmp$/;

/** Removes leftovers of killed commands in and below these directories. */
export async function sweep(directories: readonly string[]): Promise<void> {
  for (const directory of directories) {
    const names = await namesIn(directory, true);
    for (const name of names.filter((one) => leftover.test(one)))
      await rm(join(directory, name), { recursive: true, force: true });
  }
}

/** The names in a directory, and those `below` it too; none if it does not exist. */
export function namesIn(directory: string, below = false): Promise<string[]> {
  return readdir(directory, { recursive: below }).catch((error: unknown) => {
    if (systemErrorCode(error) === "ENOENT") return [];
    throw unreadable(directory, error);
  });
}

/** The error for a named file that cannot be read: `not_found`, `forbidden` or `storage_unwritable`. */
export function unreadable(path: string, cause: unknown): StewardError {
  switch (systemErrorCode(cause)) {
    case "ENOENT":
    case "ENOTDIR":
      return new StewardError("not_found", `${path} does not exist.`, { cause });
    case "EACCES":
    case "EPERM":
      return new StewardError("forbidden", `${path} cannot be read by this user.`, { cause });
    case "EISDIR":
      return new StewardError("validation_failed", `${path} is a directory, not a file.`, { cause });
    default:
      return new StewardError(
        "storage_unwritable",
        `${path} cannot be read (${systemErrorCode(cause) ?? String(cause)}).`,
        { cause },
      );
  }
}

/** Writes a world-readable file. Throws `repository_conflict` rather than replace one with other content. */
export async function putNewFile(path: string, bytes: Uint8Array): Promise<void> {
  const present = await readIfThere(path);
  if (present && Buffer.compare(present, bytes) === 0) return;
  if (present) throw takenError(path, "already exists with other content");
  await writeDurably(path, bytes, publicMode);
}

export function takenError(path: string, why: string): StewardError {
  return new StewardError(
    "repository_conflict",
    `${path} ${why}, and was not replaced. Remove it, or give another name.`,
  );
}
