import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { FreeSpace } from "../../host/ports.ts";
import type { FetchPayloadOptions, UnpackPatch } from "../../releases/download/patched-part.ts";
import type { fetchPayload } from "../../releases/download/payload.ts";
import { hasZstandard, zstandard } from "../../releases/patches/zstandard.ts";
import { namesIn } from "../../store/files/regular-file.ts";
import type { Caps } from "../../tuf/caps.ts";
import type { Payloads } from "../facts/updater-options.ts";

interface PayloadStoreOptions {
  /** The directory of updates in the state. */
  readonly directory: string;
  readonly freeSpace: FreeSpace;
  readonly installation: FetchPayloadOptions["installation"];
  readonly caps: Pick<Caps, "payloadBytes">;
  /** Makes a payload of a former one in a process of its own. */
  readonly unpackPatch: UnpackPatch;
  /** The part of the update client that downloads. */
  readonly loadFetch: () => Promise<typeof fetchPayload>;
}

/** Verified payloads and parts of payloads in the state. The folders are made by the first download. */
export function createPayloadStore({
  directory,
  loadFetch,
  unpackPatch,
  ...ports
}: PayloadStoreOptions): Payloads {
  const folders = ["staged", "downloads"].map((name) => join(directory, name));
  const removeWhere = async (isWanted: (id: string) => boolean): Promise<void> => {
    for (const folder of folders) {
      for (const name of namesIn(folder)) {
        if (isWanted(name.slice(0, 32))) await rm(join(folder, name), { recursive: true, force: true });
      }
    }
  };
  return {
    staged: async () => {
      const names = namesIn(join(directory, "staged"));
      return names.flatMap((name) => /^([0-9a-f]{32})\.tar\.gz$/.exec(name)?.[1] ?? []);
    },
    takesPatches: hasZstandard,
    fetch: async ({ target, patches }, { onProgress, ...plan }) => {
      const fetchPayload = await loadFetch();
      await fetchPayload({
        ...plan,
        ...ports,
        directory,
        found: target,
        ...((await zstandard()) !== null && { patching: { patches, unpackPatch } }),
        onProgress: ({ receivedBytes }) => onProgress(receivedBytes),
      });
    },
    keepOnly: (ids) => removeWhere((id) => !ids.includes(id)),
    remove: (ids) => removeWhere((id) => ids.includes(id)),
  };
}
