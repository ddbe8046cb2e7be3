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
import { StewardError } from "../../contract/errors.ts";
import type { PayloadCaps } from "../../releases/payload/payload-caps.ts";
import type { TreeStore } from "../../releases/payload/release-tree.ts";
import type { ContentSink } from "../../store/archives/tar-entries.ts";
import { storageError } from "../../store/files/durable-file.ts";

interface TreeOptions {
  readonly top: string;
  readonly caps: Pick<PayloadCaps, "blockBytes">;
  /** Bytes of the disk that it may use. */
  readonly roomBytes: number;
}

/** Creates a new file: never over an existing one, never through a link. */
const newFileFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Writes a release below `top`, a directory that is empty and that no other process writes to. Synchronous, because its
 * process does nothing else. Throws `storage_full`, `storage_unwritable`, and the system's errors.
 */
export function createTreeWriter({ top, caps, roomBytes }: TreeOptions): TreeStore {
  let takenBytes = 0;
  return {
    find: (path) => {
      const stats = lstatSync(join(top, path), { throwIfNoEntry: false });
      if (!stats) return null;
      const kind = stats.isFile() ? "file" : stats.isDirectory() ? "directory" : "other";
      return { kind, sizeBytes: stats.size };
    },
    makeDirectory: (path) => {
      take(0);
      makeDirectory(join(top, path));
    },
    makeLink: (path, target) => {
      take(0);
      symlinkSync(target, join(top, path));
    },
    makeHardLink: (path, file, sizeBytes) => {
      take(sizeBytes);
      linkSync(join(top, file), join(top, path));
    },
    makeFile: (path, isExecutable, sizeBytes) => {
      take(sizeBytes);
      return openNew(join(top, path), isExecutable ? 0o755 : 0o644, sizeBytes);
    },
  };

  function take(sizeBytes: number): void {
    // A directory, a long link and the inode of a file take about one block each.
    takenBytes += (1 + Math.ceil(sizeBytes / caps.blockBytes)) * caps.blockBytes;
    if (takenBytes > roomBytes) throw noRoom(takenBytes, roomBytes);
  }
}

/** With its full mode: the umask may have removed some bits. */
function makeDirectory(path: string): void {
  mkdirSync(path, 0o755);
  chmodSync(path, 0o755);
}

function openNew(path: string, mode: number, sizeBytes: number): ContentSink {
  const file = openSync(path, newFileFlags, mode);
  let end = 0;
  try {
    fchmodSync(file, mode);
  } catch (error) {
    closeSync(file);
    throw error;
  }
  return {
    write: (piece, at) => {
      end = at + piece.length;
      try {
        for (let written = 0; written < piece.length; )
          written += writeSync(file, piece, written, piece.length - written, at + written);
      } catch (cause) {
        throw storageError(path, cause);
      }
    },
    close: () => {
      // A hole at the end.
      if (end < sizeBytes) ftruncateSync(file, sizeBytes);
      closeSync(file);
    },
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
