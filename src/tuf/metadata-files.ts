import { readdir, rm } from "node:fs/promises";
import { rethrown, StewardError, systemErrorCode } from "../contract/errors.ts";
import { makeDirectory, storageError, syncDirectory, writeDurably } from "../store/files/durable-file.ts";
import { NotRegular, readRegular } from "../store/files/regular-file.ts";
import { caps } from "./caps.ts";

/** The trusted metadata of this device, byte for byte as received, one file for each role. */
export interface MetadataFiles {
  /** null: there is none. */
  read(role: string): Promise<Uint8Array | null>;
  /** On the disk when it settles, whole or not at all. Throws `storage_full`, `storage_unwritable`. */
  write(role: string, bytes: Uint8Array): Promise<void>;
  remove(role: string): Promise<void>;
  clear(): Promise<void>;
}

/** Makes the directory if it is absent, and removes the leftovers of a killed writer. */
export async function openMetadataFiles(directory: string): Promise<MetadataFiles> {
  await makeDirectory(directory);
  const pathOf = (role: string): string => metadataPath(directory, role);
  for (const name of await readdir(directory)) {
    // A role's own file ends in .json, whatever the name of the role.
    if (name.endsWith(".tmp"))
      await rm(`${directory}/${name}`, { force: true, recursive: true }).catch(() => undefined);
  }
  const remove = async (path: string): Promise<void> => {
    await rm(path, { force: true, recursive: true }).catch(rethrown((error) => storageError(path, error)));
  };
  return {
    read: (role) => readMetadata(pathOf(role)),
    write: (role, bytes) => writeDurably(pathOf(role), bytes),
    remove: async (role) => {
      await remove(pathOf(role));
      await syncDirectory(directory);
    },
    clear: async () => {
      for (const name of await readdir(directory)) await remove(`${directory}/${name}`);
      await syncDirectory(directory);
    },
  };
}

/** The same without a write: writes and removals happen only in memory, and the directory may be absent. */
export function readMetadataFiles(directory: string): MetadataFiles {
  const changed = new Map<string, Uint8Array | null>();
  let isCleared = false;
  return {
    read: async (role) => {
      const bytes = changed.get(role);
      if (bytes !== undefined || isCleared) return bytes ?? null;
      return readMetadata(metadataPath(directory, role));
    },
    write: async (role, bytes) => void changed.set(role, bytes),
    remove: async (role) => void changed.set(role, null),
    clear: async () => {
      changed.clear();
      isCleared = true;
    },
  };
}

function metadataPath(directory: string, role: string): string {
  return `${directory}/${metadataFileName(role)}`;
}

/** Bytes of the largest file that a role may have. */
const mostBytes = Math.max(caps.rootBytes, caps.timestampBytes, caps.snapshotBytes, caps.targetsBytes);

async function readMetadata(path: string): Promise<Uint8Array | null> {
  try {
    return await readRegular(path, mostBytes);
  } catch (cause) {
    if (systemErrorCode(cause) === "ENOENT") return null;
    // Treated as damage, like unsigned bytes: verification refuses them, and does not take the file for an absent one.
    if (cause instanceof NotRegular) return new Uint8Array();
    throw new StewardError("storage_unwritable", `${path} cannot be read.`, { cause });
  }
}

/** The file name of a role's metadata. Names with more than letters, digits, _ and - are quoted: no role is a path. */
export function metadataFileName(role: string): string {
  const quoted = role.replace(/[^A-Za-z0-9_-]/gu, (sign) => `%${Buffer.from(sign).toString("hex")}`);
  return `${quoted}.json`;
}
