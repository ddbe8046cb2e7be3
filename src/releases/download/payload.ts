import { rm } from "node:fs/promises";
import { join } from "node:path";
import { StewardError, systemErrorCode } from "../../contract/errors.ts";
import { makeDirectory, storageError } from "../../store/files/durable-file.ts";
import { readSignedPayload, type SignedPayload } from "../signed-payload.ts";
import { openStaged, stagedPath } from "../staged-payload.ts";
import { complete } from "./complete-part.ts";
import { type FetchPayloadOptions, makePartByPatch } from "./patched-part.ts";
import { openPart, removePart } from "./payload-part.ts";

/**
 * Brings a target onto the disk as `staged/<id>.tar.gz`; a file is there only after it was hashed to its end. One that
 * is there already is hashed again and not fetched. A fetch that was cut off goes on: the hash says at the end whether
 * both parts are of one file, and only if they are not the file is fetched again. Throws what the repository throws,
 * `update_payload_mismatch`, `update_too_large`, `update_limit_exceeded`, `storage_full`, `storage_unwritable`; after a
 * cut or an abort the part stays.
 */
export async function fetchPayload(options: FetchPayloadOptions) {
  const { found, directory, caps } = options;
  const payload = readSignedPayload(found.file);
  const { id, lengthBytes } = payload;
  if (lengthBytes > caps.payloadBytes) {
    throw new StewardError(
      "update_limit_exceeded",
      `${found.path} is signed with ${lengthBytes} bytes; this agent takes ${caps.payloadBytes} at most.`,
    );
  }
  const path = stagedPath(directory, id);
  const downloads = join(directory, "downloads");
  await makeDirectory(downloads);
  await makeDirectory(join(directory, "staged"));
  await storing(path, async () => {
    if (await isStaged(path, payload)) return removePart(downloads, payload);
    // A part of the whole may be there afterwards, which is judged as one that was fetched.
    await makePartByPatch(options, payload);
    const part = await openPart(downloads, payload);
    try {
      await complete(part, payload, options);
      await part.moveTo(path);
    } finally {
      await part.close();
    }
  });
  return { id, path, lengthBytes };
}

/** True if the whole payload is there. A file that has rotted since is removed. */
async function isStaged(path: string, payload: SignedPayload): Promise<boolean> {
  try {
    const handle = await openStaged(path, payload);
    await handle?.close();
    return handle !== null;
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    await rm(path, { recursive: true, force: true });
    return false;
  }
}

/** Storage errors by what can be done about them. */
async function storing(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    const isOfDisk = !(cause instanceof StewardError) && systemErrorCode(cause) !== undefined;
    throw isOfDisk ? storageError(path, cause) : cause;
  }
}
