import { randomBytes } from "node:crypto";
import { chmod, copyFile, link, mkdir, open, readdir, readFile, rename, rm, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { StewardError, systemErrorCode } from "../contract/errors.ts";
import { storageError, syncDirectory, temporaryPrefix, writeDurably } from "../store/files/durable-file.ts";

/** What is uploaded is for a web server's eyes too; the program's umask would keep it to its owner. */
export const publicMode = 0o644;
export const privateMode = 0o600;

/** A name beside `path` under which its content is made. */
export function temporaryName(path: string): string {
  return `${temporaryPrefix(path)}${randomBytes(6).toString("hex")}.tmp`;
}

/** Puts a file that lies in another directory already, and stays there, in the place of `path`, as writeDurably does. */
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
    // Two names of one file: rename(2) does nothing then, and leaves the first.
    await rm(temporary, { force: true });
    await syncDirectory(dirname(path));
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw storageError(path, error);
  }
}

/** Makes a directory and those above it, open to a web server. */
export async function makePublicDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o755 });
    await chmod(path, 0o755);
    await syncDirectory(dirname(path));
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "EEXIST") return;
    if (code !== "ENOENT") throw storageError(path, error);
    await makePublicDirectory(dirname(path));
    await makePublicDirectory(path);
  }
}

/** The file's bytes; null where there is none. */
export async function readIfThere(path: string): Promise<Uint8Array | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return null;
    throw unreadable(path, error);
  }
}

export async function removeFile(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
    await syncDirectory(dirname(path));
  } catch (error) {
    throw storageError(path, error);
  }
}

/** How temporary files and directories of this room are called: none of them outlives its command. */
const leftover = /(^|\/)\.[^/]*\.tmp$/;

/** Removes what commands that were killed have left in these directories and below. */
export async function sweep(directories: readonly string[]): Promise<void> {
  for (const directory of directories) {
    const names = await readdir(directory, { recursive: true }).catch((error: unknown): string[] => {
      if (systemErrorCode(error) === "ENOENT") return [];
      throw unreadable(directory, error);
    });
    for (const name of names.filter((one) => leftover.test(one)))
      await rm(join(directory, name), { recursive: true, force: true });
  }
}

/** Why a file that was named cannot be read: `not_found`, `forbidden` or `storage_unwritable`. */
export function unreadable(path: string, cause: unknown): StewardError {
  switch (systemErrorCode(cause)) {
    case "ENOENT":
    case "ENOTDIR":
      return new StewardError("not_found", `${path} does not exist.`, { cause });
    case "EACCES":
    case "EPERM":
      return new StewardError("forbidden", `${path} is not open to this user.`, { cause });
    case "EISDIR":
      return new StewardError("validation_failed", `${path} is a directory, and a file is expected.`, {
        cause,
      });
    default:
      return new StewardError(
        "storage_unwritable",
        `${path} cannot be read (${systemErrorCode(cause) ?? String(cause)}).`,
        { cause },
      );
  }
}

/** Makes a file that anybody may read; never replaces one that says something else. Throws `repository_conflict`. */
export async function putNewFile(path: string, bytes: Uint8Array): Promise<void> {
  const present = await readIfThere(path);
  if (present && Buffer.compare(present, bytes) === 0) return;
  if (present) {
    throw new StewardError(
      "repository_conflict",
      `${path} is there already with other content; it was not replaced. Remove it, or give another name.`,
    );
  }
  await writeDurably(path, bytes, publicMode);
}
