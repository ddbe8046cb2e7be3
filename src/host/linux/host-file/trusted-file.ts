import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { systemErrorCode } from "../../../contract/errors.ts";
import type { AsAgent, TrustedOwners } from "../../host.ts";

/** Bits of a mode that let group or others write. */
const writableByOthers = 0o022;

/** Every right of others than owner and group. */
const rightsOfOthers = 0o007;

/** The way in which root is to have opened a file to the agent. */
export interface Opening {
  /** Only its owner and its group may read it. */
  readonly isSecret?: boolean;
  /** The line that root types where the agent may not read it; by default one that changes its mode. */
  readonly opening?: string;
}

/**
 * The bytes of a file that only root, or another trusted user, could have written: this holds for the file and for the
 * directories on the way to it. null: absent. Throws what `refuse` makes of a reason that continues after the path, also
 * where the system refuses: one file that cannot be read must cost no more than what names it.
 */
export async function readTrustedFile(
  path: string,
  { own, asAgent = asSelf, maximumBytes, ...opening }: TrustedOwners & Opening & { maximumBytes: number },
  refuse: (path: string, what: string) => Error,
): Promise<Uint8Array | null> {
  return asAgent(() => {
    let file: number | undefined;
    try {
      const real = realpathSync.native(path);
      // First of all: nobody is to make root the only one who writes to /dev/null.
      if (!statSync(real).isFile()) throw refuse(path, "must be a regular file");
      refuseForeign(real, { own, refuse });
      // A fifo in its place must not block the start.
      file = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      const found = fstatSync(file);
      if (!found.isFile()) throw refuse(path, "must be a regular file");
      if (opening.isSecret === true && (found.mode & rightsOfOthers) !== 0)
        throw refuse(path, `can be read by every user of this device. As root: ${openingOf(path, opening)}`);
      if (found.size > maximumBytes)
        throw refuse(path, `has ${found.size} bytes, more than the limit of ${maximumBytes}`);
      return readAtMost(file, found.size);
    } catch (error) {
      if (!(error instanceof Error && "syscall" in error)) throw error;
      const why = whyUnreadable(path, error, opening);
      if (why === null) return null;
      throw refuse(path, why);
    } finally {
      if (file !== undefined) closeSync(file);
    }
  });
}

/** The rights of this process, where it reads for itself. */
export const asSelf: AsAgent = async (work) => work();

/** The line that opens a file to the agent; a secret to it and root only. */
export function openingOf(path: string, { isSecret = false, opening }: Opening): string {
  return opening ?? (isSecret ? `chown root:steward ${path}; chmod 640 ${path}` : `chmod a+r ${path}`);
}

/** The reason why the system does not let this user read a path, as it continues after the path; null: it is absent. */
export function whyUnreadable(path: string, error: unknown, opening: Opening): string | null {
  const code = systemErrorCode(error);
  if (code === "ENOENT") {
    const link = brokenLink(path);
    return link && `leads nowhere: ${link} is a link to a place that is absent`;
  }
  if (code !== "EACCES") return `cannot be read (${code})`;
  const place = closedPlace(path);
  const isOnTheWay = path.startsWith(`${place}/`);
  const what = `cannot be read by the user of the agent${place === path ? "" : `, to whom ${place} is closed`}`;
  // ProtectHome= of the unit, whatever the rights are.
  if (opening.opening === undefined && /^\/(root|home|run\/user)(\/|$)/.test(place))
    return `${what}: put it into /etc/steward, and name it there`;
  // A line of its own copies the file from elsewhere, and leaves directories there as they are.
  const isOpened =
    place !== path && (isOnTheWay || opening.opening === undefined) && statSync(place).isDirectory();
  return `${what}. As root: ${isOpened ? `chmod a+rx ${place}; ` : ""}${openingOf(path, opening)}`;
}

/** The link on the way to an absent path that leads nowhere; null: there is none. */
function brokenLink(path: string): string | null {
  if (lstatSync(path, { throwIfNoEntry: false })) return existsSync(path) ? null : path;
  return brokenLink(dirname(path));
}

/** The first directory on the way that this user may not enter, behind all links; or the file itself. */
function closedPlace(path: string): string {
  try {
    if (!lstatSync(path).isSymbolicLink()) return path;
    return closedPlace(resolve(realpathSync.native(dirname(path)), readlinkSync(path)));
  } catch {
    return closedPlace(dirname(path));
  }
}

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
