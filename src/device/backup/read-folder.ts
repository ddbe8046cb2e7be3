import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { systemErrorCode } from "../../contract/errors.ts";
import { openRegular, readRegular } from "../../store/files/regular-file.ts";
import { isSafePath } from "./read-archive.ts";

/** The most that is read: all of it is in memory. A folder of certificates and a host file has a tenth. */
const most = { fileBytes: 256 * 1024, files: 200, depth: 4 } as const;

/** The most bytes of all files of a folder. */
export const mostFolderBytes = 2 * 1024 * 1024;

/** Every readable file of a folder, by path; none without it. Follows no link. Throws the system's errors of listing it. */
export async function readFolder(folder: string) {
  const files: NonNullable<Awaited<ReturnType<typeof readFile>>>[] = [];
  const leftOut: string[] = [];
  let bytes = 0;
  const read = async (path: string): Promise<void> => {
    const file = files.length < most.files && isSafePath(path) ? await readFile(folder, path) : null;
    if (file === null || bytes + file.content.length > mostFolderBytes)
      return void leftOut.push(join(folder, path));
    bytes += file.content.length;
    files.push(file);
  };
  const walk = async (below: string, depth: number): Promise<void> => {
    for (const entry of await entriesOf(join(folder, below), depth > 1)) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (!entry.isDirectory()) await read(path);
      else if (depth < most.depth) await walk(path, depth + 1);
      else leftOut.push(join(folder, path));
    }
  };
  await walk("", 1);
  return {
    files,
    /** Absolute paths of what was not read: no file of this user's, a link, too large or with a strange name. */
    leftOut,
  };
}

async function entriesOf(directory: string, isInner: boolean) {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch (error) {
    if (isInner || systemErrorCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** A file by its path below the folder, with slashes; `mode`: the permission bits. Null: it cannot be read. */
async function readFile(folder: string, path: string) {
  try {
    const { file, stats } = await openRegular(join(folder, path));
    await file.close();
    const content = await readRegular(join(folder, path), most.fileBytes);
    return { path, mode: stats.mode & 0o777, content };
  } catch {
    return null;
  }
}
