import { dirname } from "node:path";
import { rethrown } from "../../contract/errors.ts";
import type { ReleaseFiles } from "../../host/release-ports.ts";
import { installationNeeds, requireSpace, reserveBytes } from "../../releases/needed-space.ts";
import { type PayloadCaps, payloadCaps } from "../../releases/payload/payload-caps.ts";
import { readPayload, unreadable } from "../../releases/payload/read-payload.ts";
import { storageError } from "../../store/files/durable-file.ts";
import { NotRegular, openRegular } from "../../store/files/regular-file.ts";
import { removeTree } from "../files/remove-tree.ts";
import { createTreeWriter, makeDirectory } from "./tree-writer.ts";

/**
 * Unpacks a payload into a new directory, for everybody to read, and syncs it. A payload that is not safe is refused,
 * although it is signed, and leaves nothing behind. Throws `update_payload_unsafe`, `storage_full`, `storage_unwritable`.
 */
export async function unpack(
  payload: string,
  directory: string,
  files: Pick<ReleaseFiles, "freeBytes" | "sync">,
  caps: PayloadCaps = payloadCaps,
): Promise<void> {
  const { file } = await openRegular(payload).catch(
    rethrown((cause) => unreadable(cause instanceof NotRegular ? `it ${cause.reason}` : cause)),
  );
  try {
    const releases = dirname(directory);
    const freeBytes = await files.freeBytes(releases);
    const tree = createTreeWriter(directory, freeBytes - reserveBytes, caps);
    try {
      makeDirectory(directory);
    } catch (cause) {
      throw storageError(directory, cause);
    }
    try {
      await readPayload(file, tree, { caps });
      const sizes = { lengthBytes: (await file.stat()).size, treeBytes: tree.neededBytes() };
      const needs = installationNeeds({ releases, trust: dirname(payload) }, sizes);
      await requireSpace("The release needs", needs, async () => freeBytes);
      await files.sync(directory);
    } catch (error) {
      removeTree(directory);
      throw error;
    }
  } finally {
    await file.close();
  }
}
