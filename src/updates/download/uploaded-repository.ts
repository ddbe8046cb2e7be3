import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { FreeSpace } from "../../host/ports.ts";
import { makeDirectory } from "../../store/files/durable-file.ts";
import type { UploadedRepository } from "../facts/updater-options.ts";
import type { unpackRepository } from "./unpack-repository.ts";

/** The place in the state's directory of updates where a repository that was sent as a file is unpacked. */
export function createUploadedRepository(
  updates: string,
  freeSpace: FreeSpace,
  loadUnpack: () => Promise<typeof unpackRepository>,
): UploadedRepository {
  const directory = join(updates, "uploaded");
  const remove = async (): Promise<void> => {
    if (existsSync(directory)) await rm(directory, { recursive: true, force: true });
  };
  return {
    unpack: async (upload) => {
      const unpack = await loadUnpack();
      await remove();
      await makeDirectory(directory);
      try {
        await unpack(upload, directory, freeSpace);
      } catch (error) {
        await remove();
        throw error;
      }
      return pathToFileURL(directory).href;
    },
    remove,
  };
}
