import { constants } from "node:fs";
import { copyFile, lstat, mkdir, open, readdir, rename, rm, rmdir, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ifAbsent, systemErrorCode } from "../../contract/errors.ts";
import { storageError, syncDirectory, temporaryPrefix } from "./durable-file.ts";

type Rename = (from: string, to: string) => Promise<void>;

/**
 * Moves a directory to `to`, which is deleted first. If the directory itself cannot be renamed, its files are:
 * overlayfs renames no directory of a lower layer (EXDEV), and no file system a mount point (EBUSY). Then the directory
 * may stay, without a file. After a power cut the next call continues, and nothing of `from` is lost. Without files in
 * `from` it does nothing. Throws `storage_full` and `storage_unwritable`: files that were not moved are in their old
 * place, the newest moved last.
 */
export async function moveDirectory(from: string, to: string, move: Rename = rename): Promise<void> {
  const draft = `${temporaryPrefix(to)}part`;
  try {
    const left = await namesIn(from);
    if (!left?.length && (await namesIn(draft)) === null) return;
    if (left !== null) await moveTree(from, draft, move);
    await rm(to, { recursive: true, force: true });
    await move(draft, to);
    await syncDirectory(dirname(to));
  } catch (error) {
    throw storageError(from, error);
  }
}

/** All names but those of directories, such as a file system's lost+found; sorted. null: there is no such directory. */
async function namesIn(directory: string): Promise<string[] | null> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(ifAbsent);
  return entries?.flatMap((entry) => (entry.isDirectory() ? [] : [entry.name])).sort() ?? null;
}

/**
 * Moves a file or a directory. What cannot be renamed, see `moveDirectory`, is moved file by file, and joined with what is
 * in its place already, so that the next call continues. Throws the system's errors.
 */
export async function moveTree(from: string, to: string, move: Rename = rename): Promise<void> {
  if (await renamed(from, to, move)) return;
  if (!(await lstat(from)).isDirectory()) return copyAway(from, to);
  await mkdir(to, { recursive: true, mode: 0o700 });
  await syncDirectory(dirname(to));
  for (const name of (await readdir(from)).sort())
    if (name !== "lost+found") await moveTree(join(from, name), join(to, name), move);
  await syncDirectory(to);
  await rmdir(from).catch((error: unknown) => {
    if (!["EBUSY", "ENOENT", "ENOTEMPTY"].includes(systemErrorCode(error) ?? "")) throw error;
  });
}

async function renamed(from: string, to: string, move: Rename): Promise<boolean> {
  return move(from, to).then(
    () => true,
    (error: unknown) => {
      if (["EXDEV", "EBUSY", "EEXIST", "ENOTEMPTY"].includes(systemErrorCode(error) ?? "")) return false;
      throw error;
    },
  );
}

/**
 * Copies to another file system; the copy is on the disk before the original is deleted. A pipe or a link holds nothing
 * of ours, and a copy of it would wait for its other end, or be of something else.
 */
async function copyAway(source: string, target: string): Promise<void> {
  if (!(await lstat(source)).isFile()) return unlink(source);
  await copyFile(source, target, constants.COPYFILE_FICLONE);
  const file = await open(target, "r");
  await file.sync().finally(() => file.close());
  await syncDirectory(dirname(target));
  await unlink(source);
}
