import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  symlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { StewardError, systemErrorCode } from "../../contract/errors.ts";
import { storageError } from "../../store/files/durable-file.ts";
import type { UnpackCaps } from "./unpack-caps.ts";
import { unsafePayload } from "./unsafe-payload.ts";

/**
 * Puts the entries of an archive below a directory that nobody else writes to: each of them new, none through a link.
 * Synchronous, for this is all that its process does. Throws `update_payload_unsafe`, `storage_full`,
 * `storage_unwritable`.
 */
export interface TreeWriter {
  directory(path: readonly string[]): void;
  link(path: readonly string[], target: string): void;
  /** Bytes are those that the archive announces. The answer takes the content. */
  file(path: readonly string[], isExecutable: boolean, sizeBytes: number): NewFile;
}

export interface NewFile {
  write(piece: Uint8Array): void;
  close(): void;
}

export interface TreeOptions {
  readonly top: string;
  readonly caps: Pick<UnpackCaps, "entries" | "blockBytes">;
  /** Bytes that may be taken of the disk. */
  readonly roomBytes: number;
}

/** What an entry is made with: never over something, never through a link. */
const newFileFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** Begins below `top`, which is there and empty. */
export function createTreeWriter({ top, caps, roomBytes }: TreeOptions): TreeWriter {
  let entries = 0;
  let takenBytes = 0;
  // The directory that was seen last, so that a file beside the one before costs no look at each of its parents.
  let knownParent = "";
  return {
    directory: (path) => {
      makeParents(path);
      take(0);
      making(path, () => makeDirectory(join(top, ...path)));
    },
    link: (path, target) => {
      makeParents(path);
      take(0);
      making(path, () => symlinkSync(target, join(top, ...path)));
    },
    file: (path, isExecutable, sizeBytes) => {
      makeParents(path);
      take(sizeBytes);
      return making(path, () => openNew(join(top, ...path), isExecutable ? 0o755 : 0o644));
    },
  };

  /** What an archive does not name it may still mean; but what is there must be a directory, and no link to one. */
  function makeParents(path: readonly string[]): void {
    const parent = path.slice(0, -1);
    if (parent.join("/") === knownParent) return;
    for (let depth = 1; depth <= parent.length; depth += 1) {
      const above = parent.slice(0, depth);
      const stats = lstatSync(join(top, ...above), { throwIfNoEntry: false });
      if (stats?.isDirectory()) continue;
      if (stats) throw unsafePayload("lies below what is no directory", { name: path.join("/") });
      take(0);
      making(above, () => makeDirectory(join(top, ...above)));
    }
    knownParent = parent.join("/");
  }

  function take(sizeBytes: number): void {
    entries += 1;
    if (entries > caps.entries) throw unsafePayload(`it has more than ${caps.entries} entries`);
    // A directory and a long link take a block too, and so does the inode of a file, more or less.
    takenBytes += (1 + Math.ceil(sizeBytes / caps.blockBytes)) * caps.blockBytes;
    if (takenBytes > roomBytes) throw noRoom(takenBytes, roomBytes);
  }
}

function making<T>(path: readonly string[], make: () => T): T {
  try {
    return make();
  } catch (cause) {
    const name = path.join("/");
    if (systemErrorCode(cause) === "EEXIST") throw unsafePayload("is there already", { name, cause });
    throw storageError(name, cause);
  }
}

/** Whatever the umask takes away. */
function makeDirectory(path: string): void {
  mkdirSync(path, 0o755);
  chmodSync(path, 0o755);
}

function openNew(path: string, mode: number): NewFile {
  const file = openSync(path, newFileFlags, mode);
  try {
    fchmodSync(file, mode);
  } catch (error) {
    closeSync(file);
    throw error;
  }
  return {
    write: (piece) => {
      try {
        for (let written = 0; written < piece.length; ) written += writeSync(file, piece, written);
      } catch (cause) {
        throw storageError(path, cause);
      }
    },
    close: () => closeSync(file),
  };
}

function noRoom(neededBytes: number, roomBytes: number): StewardError {
  const mebibytes = (bytes: number): string => `${Math.ceil(Math.max(0, bytes) / 1024 ** 2)} MiB`;
  return new StewardError(
    "storage_full",
    `The release needs ${mebibytes(neededBytes)} of the disk or more, and may take ${mebibytes(roomBytes)}. ` +
      "Free some space and repeat.",
  );
}
