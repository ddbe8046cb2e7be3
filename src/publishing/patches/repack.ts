import { open, unlink } from "node:fs/promises";
import { join } from "node:path";
import { rethrown } from "../../contract/errors.ts";
import { packInto } from "../../releases/patches/payload-gzip.ts";
import { storageError, temporaryName } from "../../store/files/durable-file.ts";
import type { Workspace } from "../workspace.ts";
import { unpackedPieces } from "./unpacked.ts";

/**
 * Gives `work` the path of a payload with the archive of `file`, packed so that a device can pack it the same: gzip, tar
 * and other tools each pack differently. It is removed afterwards.
 */
export async function withRepacked<T>(
  { payloads }: Workspace,
  file: string,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const path = temporaryName(join(payloads, "repacked"));
  try {
    await repack(file, path);
    return await work(path);
  } finally {
    await unlink(path).catch(() => undefined);
  }
}

async function repack(from: string, path: string): Promise<void> {
  const out = await open(path, "wx", 0o600).catch(rethrown((error) => storageError(path, error)));
  try {
    await packInto(out, unpackedPieces(from));
  } finally {
    await out.close();
  }
}
