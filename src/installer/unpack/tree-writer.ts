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
import type { PayloadCaps } from "../../releases/payload/payload-caps.ts";
import { unsafePayload } from "../../releases/payload/unsafe-payload.ts";
import { storageError } from "../../store/files/durable-file.ts";

/**
 * Writes the entries of an archive below a directory that no other process writes to: each of them new, none through a
 * link. Synchronous, because its process does nothing else. Throws `update_payload_unsafe`, `storage_full`,
 * `storage_unwritable`.
 */
export interface TreeWriter {
  directory(path: readonly string[]): void;
  link(path: readonly string[], target: string): void;
  /** `sizeBytes` is the size announced by the archive. The returned file takes the content. */
  file(path: readonly string[], isExecutable: boolean, sizeBytes: number): NewFile;
}

interface NewFile {
  write(piece: Uint8Array): void;
  close(): void;
}

interface TreeOptions {
  readonly top: string;
  readonly caps: Pick<PayloadCaps, "entries" | "blockBytes">;
  /** Bytes of the disk that it may use. */
  readonly roomBytes: number;
}

/** Creates a new file: never over an existing one, never through a link. */
const newFileFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** `top` exists and is empty. */
export function createTreeWriter({ top, caps, roomBytes }: TreeOptions): TreeWriter {
  let entries = 0;
  let takenBytes = 0;
  // The last parent, so that the next file in the same directory does not check each of its parents again.
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

  /** An archive may leave out directories. One that exists must be a directory, and not a link to one. */
  function makeParents(path: readonly string[]): void {
    const parent = path.slice(0, -1);
    if (parent.join("/") === knownParent) return;
    for (let depth = 1; depth <= parent.length; depth += 1) {
      const above = parent.slice(0, depth);
      const stats = lstatSync(join(top, ...above), { throwIfNoEntry: false });
      if (stats?.isDirectory()) continue;
      if (stats) throw unsafePayload("is below something that is not a directory", { name: path.join("/") });
      take(0);
      making(above, () => makeDirectory(join(top, ...above)));
    }
    knownParent = parent.join("/");
  }

  function take(sizeBytes: number): void {
    entries += 1;
    if (entries > caps.entries) throw unsafePayload(`it has more than ${caps.entries} entries`);
    // A directory, a long link and the inode of a file take about one block each.
    takenBytes += (1 + Math.ceil(sizeBytes / caps.blockBytes)) * caps.blockBytes;
    if (takenBytes > roomBytes) throw noRoom(takenBytes, roomBytes);
  }
}

function making<T>(path: readonly string[], make: () => T): T {
  try {
    return make();
  } catch (cause) {
    const name = path.join("/");
    if (systemErrorCode(cause) === "EEXIST") throw unsafePayload("appears twice", { name, cause });
    throw storageError(name, cause);
  }
}

/** With its full mode: the umask may have removed some bits. */
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
    `The release needs at least ${mebibytes(neededBytes)} of disk space, and ${mebibytes(roomBytes)} are available to it. ` +
      "Free some space and try again.",
  );
}
