import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { StewardError } from "../../contract/errors.ts";
import { createDigest, type SignedPayload } from "../../releases/signed-payload.ts";
import { mismatch } from "../../releases/staged-payload.ts";
import { makeDirectory, storageError } from "../../store/files/durable-file.ts";
import type { AgentFile } from "../files/agent-files.ts";

/** Bytes copied and hashed at a time. */
const pieceBytes = 524_288;

/** Root's own place for one release, empty; what was there of any release is gone. Gives back its path. */
export async function emptyIntake(directory: string, id: string): Promise<string> {
  const own = join(directory, id);
  await rm(directory, { recursive: true, force: true }).catch((error: unknown) => {
    throw storageError(directory, error);
  });
  await makeDirectory(directory);
  // Not where something is: it would be nothing of ours.
  await mkdir(own, { mode: 0o700 }).catch((error: unknown) => {
    throw storageError(own, error);
  });
  return own;
}

/**
 * Copies what was signed, while it is hashed, and never more than that: what lies at `path` when it settles are the
 * signed bytes, else nothing does. Throws `update_payload_mismatch`, `storage_full`, `storage_unwritable`.
 */
export async function copySigned(file: AgentFile, path: string, payload: SignedPayload): Promise<void> {
  const { sizeBytes } = file;
  if (sizeBytes !== payload.lengthBytes) {
    throw mismatch(file.path, `it has ${sizeBytes} bytes, and ${payload.lengthBytes} are signed`);
  }
  await storing(path, () => copy(file, path, payload));
}

async function copy(file: AgentFile, path: string, payload: SignedPayload): Promise<void> {
  const own = await open(path, "wx", 0o600);
  try {
    await copyInto(own, file, payload);
  } catch (error) {
    await rm(path, { force: true }).catch(() => undefined);
    throw error;
  } finally {
    await own.close();
  }
}

async function copyInto(own: FileHandle, file: AgentFile, payload: SignedPayload): Promise<void> {
  const digest = createDigest(payload);
  const piece = Buffer.allocUnsafeSlow(Math.min(pieceBytes, payload.lengthBytes + 1));
  let copiedBytes = 0;
  while (copiedBytes < payload.lengthBytes) {
    const wanted = piece.subarray(0, Math.min(piece.length, payload.lengthBytes - copiedBytes));
    const count = await file.read(wanted, copiedBytes);
    if (count === 0) throw mismatch(file.path, "it became shorter while it was copied");
    // The copy in memory is what is hashed and what is written: the file may be another one by now.
    digest.update(wanted.subarray(0, count));
    await own.writeFile(wanted.subarray(0, count));
    copiedBytes += count;
  }
  const difference = digest.difference();
  if (difference !== null) throw mismatch(file.path, difference);
}

async function storing(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    throw cause instanceof StewardError ? cause : storageError(path, cause);
  }
}
