import { open, unlink } from "node:fs/promises";
import { join } from "node:path";
import { rethrown, StewardError } from "../../contract/errors.ts";
import { createPayloadGzip } from "../../releases/patches/payload-gzip.ts";
import { storageError } from "../../store/files/durable-file.ts";
import { temporaryName } from "../files.ts";
import type { Workspace } from "../workspace.ts";
import { unpackedPieces } from "./unpacked.ts";

/**
 * Gives `work` the path of a payload with the archive of `file`, packed so that a device can pack it the same: gzip, tar
 * and other tools each pack differently. It is removed afterwards. Throws `validation_failed` for a file that is not
 * packed by gzip.
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
  const waiting: Uint8Array[] = [];
  const gzip = createPayloadGzip((piece) => void waiting.push(piece));
  const write = async (): Promise<void> => {
    for (const piece of waiting.splice(0)) await out.writeFile(piece);
  };
  try {
    for await (const piece of unpackedPieces(from)) {
      gzip.push(piece);
      await write();
    }
    gzip.end();
    await write();
  } catch (error) {
    throw isOfZlib(error) ? notPacked(from, error) : error;
  } finally {
    await out.close();
  }
}

function isOfZlib(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^Z_/.test(String(error.code));
}

function notPacked(file: string, cause: unknown): StewardError {
  return new StewardError(
    "validation_failed",
    `${file} is not compressed by gzip, or is damaged; devices unpack .tar.gz only. Nothing was changed.`,
    { cause },
  );
}
