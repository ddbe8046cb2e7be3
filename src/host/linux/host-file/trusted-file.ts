import { constants } from "node:fs";
import { type FileHandle, open, realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { systemErrorCode } from "../../../contract/errors.ts";
import type { TrustedOwners } from "../../host.ts";

/** Bits of a mode that let group or others write. */
const writableByOthers = 0o022;

/**
 * The bytes of a file that nobody but root, or who else is trusted, could have written: the file itself and the
 * directories on the way to it. null: there is none. Throws what `refuse` makes of a reason that goes on behind the
 * path, and the system's errors.
 */
export async function readTrustedFile(
  path: string,
  { own, maximumBytes }: TrustedOwners & { maximumBytes: number },
  refuse: (path: string, what: string) => Error,
): Promise<Uint8Array | null> {
  let file: FileHandle | undefined;
  try {
    const real = await realpath(path);
    await refuseForeign(real, { own, refuse });
    // A pipe in its place must not hold the start up until somebody writes to it.
    file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { size } = await regular(file, path, refuse);
    if (size > maximumBytes) throw refuse(path, `has ${size} bytes; more than ${maximumBytes} are not read`);
    return await readAtMost(file, size);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return null;
    throw error;
  } finally {
    await file?.close();
  }
}

/** Who judges, and what he says. */
export interface Judge extends TrustedOwners {
  /** Makes the error of a reason that goes on behind the path. */
  refuse: (path: string, what: string) => Error;
}

/** Refuses what others than those who are trusted could write, or put something else in the place of. `path`: without links. */
export async function refuseForeign(path: string, { own, refuse }: Judge): Promise<void> {
  const found = await stat(path);
  if ((found.uid !== 0 && found.uid !== own) || (found.mode & writableByOthers) !== 0) {
    const whose = own === undefined || own === 0 ? "root" : "root, or to the user who runs this,";
    throw refuse(
      path,
      `must belong to ${whose} and be writable by nobody else, for what stands in it is done as root. As root: chown root ${path}; chmod go-w ${path}`,
    );
  }
  // Whoever may write above a directory of our own can put another one there, but none that is ours.
  if (path === "/" || (found.isDirectory() && found.uid === own)) return;
  await refuseForeign(dirname(path), { own, refuse });
}

async function regular(file: FileHandle, path: string, refuse: Judge["refuse"]) {
  const found = await file.stat();
  if (!found.isFile()) throw refuse(path, "must be a regular file");
  return found;
}

/** No more than that, whatever is appended meanwhile. */
async function readAtMost(file: FileHandle, sizeBytes: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(sizeBytes);
  let length = 0;
  while (length < sizeBytes) {
    const { bytesRead } = await file.read(bytes, length, sizeBytes - length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}
