import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  type Stats,
} from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { ifAbsent, StewardError, systemErrorCode } from "../../contract/errors.ts";

/** Follows no link, and waits for no pipe's other end, which would block a thread for ever, or the process. */
const ownFile = constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Something that we have not written is in the place of one of our files. */
export class NotRegular extends StewardError {
  /** Continues a sentence whose subject is the file. */
  readonly reason: string;

  constructor(path: string, reason: string) {
    super("state_damaged", `${path} ${reason}. Another program must have put it there: remove it.`);
    this.name = "NotRegular";
    this.reason = reason;
  }
}

/**
 * All of a file in the state or run directory, with the length that it had when it was opened. Throws NotRegular for
 * anything but a regular file of at most `mostBytes`, and the system's errors; ENOENT is an absent file.
 */
export async function readRegular(path: string, mostBytes: number): Promise<Buffer> {
  const { file, stats } = await openRegular(path);
  try {
    const bytes = roomFor(path, stats, mostBytes);
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return bytes.subarray(0, length);
  } finally {
    await file.close();
  }
}

/** The synchronous form, for files that are read before there is anything else to do. */
export function readRegularSync(path: string, mostBytes: number): Buffer {
  const descriptor = naming(path, () => openSync(path, constants.O_RDONLY | ownFile));
  try {
    const bytes = roomFor(path, fstatSync(descriptor), mostBytes);
    let length = 0;
    while (length < bytes.length) {
      const bytesRead = readSync(descriptor, bytes, length, bytes.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
}

/** The names in a directory; none where it is absent. Throws the system's errors. */
export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    return ifAbsent(error) ?? [];
  }
}

/** Opens a file for reading; the caller closes it. Throws NotRegular and the system's errors. */
export async function openRegular(path: string): Promise<{ file: FileHandle; stats: Stats }> {
  const file = await open(path, constants.O_RDONLY | ownFile).catch((error: unknown) =>
    naming(path, () => {
      throw error;
    }),
  );
  try {
    const stats = await file.stat();
    refuseOther(path, stats);
    return { file, stats };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Opens a file that may be lost, with `flags`; the caller closes it. What is no regular file there is removed. */
export async function openDispensable(path: string, flags: number): Promise<FileHandle> {
  const all = flags | constants.O_CREAT | ownFile;
  try {
    const file = await open(path, all, 0o600);
    if ((await file.stat()).isFile()) return file;
    await file.close();
  } catch (error) {
    if (!isInTheWay(error)) throw error;
  }
  await rm(path, { recursive: true, force: true });
  return open(path, all | constants.O_EXCL, 0o600);
}

/** The synchronous form, for a file that is written before there is anything else to do; gives its descriptor. */
export function openDispensableSync(path: string, flags: number): number {
  const all = flags | constants.O_CREAT | ownFile;
  try {
    const descriptor = openSync(path, all, 0o600);
    if (fstatSync(descriptor).isFile()) return descriptor;
    closeSync(descriptor);
  } catch (error) {
    if (!isInTheWay(error)) throw error;
  }
  rmSync(path, { recursive: true, force: true });
  return openSync(path, all | constants.O_EXCL, 0o600);
}

/** Something that is no regular file could not be opened for writing. */
function isInTheWay(error: unknown): boolean {
  return ["ELOOP", "ENXIO", "EISDIR"].includes(systemErrorCode(error) ?? "");
}

/** open(2): ELOOP for a link that is not followed, ENXIO for a socket. */
function naming<T>(path: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "ELOOP") throw new NotRegular(path, "is a link, and no regular file");
    if (code === "ENXIO") throw new NotRegular(path, "is a socket or a device, and no regular file");
    throw error;
  }
}

function refuseOther(path: string, stats: Stats): void {
  if (stats.isFile()) return;
  const kind = stats.isFIFO() ? "a pipe" : stats.isDirectory() ? "a directory" : "a device";
  throw new NotRegular(path, `is ${kind}, and no regular file`);
}

function roomFor(path: string, stats: Stats, mostBytes: number): Buffer {
  refuseOther(path, stats);
  if (stats.size <= mostBytes) return Buffer.allocUnsafeSlow(stats.size);
  throw new NotRegular(path, `has ${stats.size} bytes, more than the limit of ${mostBytes}`);
}
