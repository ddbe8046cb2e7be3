import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { systemErrorCode } from "../../../contract/errors.ts";
import type { TrustedOwners } from "../../host.ts";

/** Bits of a mode that let group or others write. */
const writableByOthers = 0o022;

/**
 * The bytes of a file that only root, or another trusted user, could have written: this holds for the file and for the
 * directories on the way to it. null: absent. Throws what `refuse` makes of a reason that continues after the path, and
 * the system's errors.
 */
export async function readTrustedFile(
  path: string,
  { own, maximumBytes }: TrustedOwners & { maximumBytes: number },
  refuse: (path: string, what: string) => Error,
): Promise<Uint8Array | null> {
  let file: number | undefined;
  try {
    const real = realpathSync.native(path);
    refuseForeign(real, { own, refuse });
    // A fifo in its place must not block the start.
    file = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { size } = regular(file, path, refuse);
    if (size > maximumBytes) throw refuse(path, `has ${size} bytes, more than the limit of ${maximumBytes}`);
    return readAtMost(file, size);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return null;
    throw error;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** The trusted owners, and the error of a refusal. */
export interface TrustCheck extends TrustedOwners {
  /** Makes the error of a reason that continues after the path. */
  refuse: (path: string, what: string) => Error;
}

/** Refuses a path that an untrusted user could write or replace. `path`: without links. */
export function refuseForeign(path: string, { own, refuse }: TrustCheck): void {
  const found = statSync(path);
  if ((found.uid !== 0 && found.uid !== own) || (found.mode & writableByOthers) !== 0) {
    const whose = own === undefined || own === 0 ? "root" : "root, or to the user who runs this,";
    throw refuse(
      path,
      `must belong to ${whose} and be writable by no other user, because root acts on it. As root: chown root ${path}; chmod go-w ${path}`,
    );
  }
  // A user who can write to a parent could replace this directory, but only by one with another owner.
  if (path === "/" || (found.isDirectory() && found.uid === own)) return;
  refuseForeign(dirname(path), { own, refuse });
}

function regular(file: number, path: string, refuse: TrustCheck["refuse"]) {
  const found = fstatSync(file);
  if (!found.isFile()) throw refuse(path, "must be a regular file");
  return found;
}

/** At most that many bytes, even if the file grows meanwhile. */
function readAtMost(file: number, sizeBytes: number): Uint8Array {
  const bytes = new Uint8Array(sizeBytes);
  let length = 0;
  while (length < sizeBytes) {
    const bytesRead = readSync(file, bytes, length, sizeBytes - length, null);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}
