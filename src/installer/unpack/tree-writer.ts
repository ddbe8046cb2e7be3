import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  symlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { PayloadCaps } from "../../releases/payload/payload-caps.ts";
import type { NewFile, TreeStore } from "../../releases/payload/release-tree.ts";
import { storageError } from "../../store/files/durable-file.ts";

/** Creates a new file: never over an existing one, never through a link. */
const newFileFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Writes a release below `top`, a directory that is empty and that no other process writes to. What has no room is counted
 * and not written, so that the whole need is known at the end. Synchronous, because its process does nothing else.
 * `roomBytes`: bytes of the disk that it may use; `neededBytes`: those that all of it takes. Throws `storage_full`,
 * `storage_unwritable`, and the system's errors.
 */
export function createTreeWriter(
  top: string,
  roomBytes: number,
  { blockBytes }: Pick<PayloadCaps, "blockBytes">,
): TreeStore & { neededBytes(): number } {
  let takenBytes = 0;
  /** That which had no room. */
  const unwritten = new Map<string, Found>();
  return {
    find: (path) => unwritten.get(path) ?? onDisk(join(top, path)),
    makeDirectory: (path) => {
      if (hasRoom(path, { kind: "directory", sizeBytes: 0 })) makeDirectory(join(top, path));
    },
    makeLink: (path, target) => {
      if (hasRoom(path, { kind: "other", sizeBytes: 0 })) symlinkSync(target, join(top, path));
    },
    makeHardLink: (path, file, sizeBytes) => {
      if (hasRoom(path, { kind: "file", sizeBytes })) linkSync(join(top, file), join(top, path));
    },
    makeFile: (path, isExecutable, sizeBytes) => {
      if (!hasRoom(path, { kind: "file", sizeBytes })) return nowhere;
      return openNew(join(top, path), isExecutable ? 0o755 : 0o644, sizeBytes);
    },
    neededBytes: () => takenBytes,
  };

  function hasRoom(path: string, entry: Found): boolean {
    // A directory, a long link and the inode of a file take about one block each.
    takenBytes += (1 + Math.ceil(entry.sizeBytes / blockBytes)) * blockBytes;
    if (takenBytes <= roomBytes) return true;
    unwritten.set(path, entry);
    return false;
  }
}

const nowhere: NewFile = { write: () => undefined, close: () => undefined };

type Found = NonNullable<ReturnType<TreeStore["find"]>>;

function onDisk(path: string): Found | null {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return null;
  const kind = stats.isFile() ? "file" : stats.isDirectory() ? "directory" : "other";
  return { kind, sizeBytes: stats.size };
}

/** With its full mode: the umask may have removed some bits. */
export function makeDirectory(path: string): void {
  mkdirSync(path, 0o755);
  chmodSync(path, 0o755);
}

function openNew(path: string, mode: number, sizeBytes: number): NewFile {
  const file = openSync(path, newFileFlags, mode);
  let end = 0;
  try {
    fchmodSync(file, mode);
  } catch (error) {
    closeSync(file);
    throw error;
  }
  const writing = (work: () => void): void => {
    try {
      work();
    } catch (cause) {
      throw storageError(path, cause);
    }
  };
  return {
    write: (piece, at) =>
      writing(() => {
        end = at + piece.length;
        for (let written = 0; written < piece.length; )
          written += writeSync(file, piece, written, piece.length - written, at + written);
      }),
    close: () =>
      writing(() => {
        try {
          // A hole at the end.
          if (end < sizeBytes) ftruncateSync(file, sizeBytes);
        } finally {
          closeSync(file);
        }
      }),
  };
}
