import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { rethrown, StewardError } from "../../contract/errors.ts";
import { createDigest, type SignedPayload } from "../../releases/signed-payload.ts";
import { mismatch } from "../../releases/staged-payload.ts";
import { makeDirectory, storageError } from "../../store/files/durable-file.ts";
import type { AgentFile } from "../files/agent-files.ts";

/** Bytes copied and hashed at a time. */
const pieceBytes = 524_288;

/** Makes an empty directory for the copy of one release, and removes earlier copies. Returns its path. */
export async function emptyCopyDirectory(directory: string, id: string): Promise<string> {
  const own = join(directory, id);
  await rm(directory, { recursive: true, force: true }).catch(
    rethrown((error) => storageError(directory, error)),
  );
  await makeDirectory(directory);
  // Fails if it exists: then another process has made it.
  await mkdir(own, { mode: 0o700 }).catch(rethrown((error) => storageError(own, error)));
  return own;
}

/**
 * Copies a payload while it is hashed, and never more bytes than were signed. Afterwards the file at `path` holds the
 * signed bytes, or does not exist. Synchronous, because its process does nothing else and other threads would cost more
 * than the reads and writes. Throws `update_payload_mismatch`, `storage_full`, `storage_unwritable`.
 */
export function copySigned(file: AgentFile, path: string, payload: SignedPayload): void {
  const { sizeBytes } = file;
  if (sizeBytes !== payload.lengthBytes) {
    throw mismatch(file.path, `it has ${sizeBytes} bytes, and ${payload.lengthBytes} are signed`);
  }
  try {
    copy(file, path, payload);
  } catch (cause) {
    throw cause instanceof StewardError ? cause : storageError(path, cause);
  }
}

function copy(file: AgentFile, path: string, payload: SignedPayload): void {
  const own = openSync(path, "wx", 0o600);
  try {
    copyInto(own, file, payload);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(own);
  }
}

function copyInto(own: number, file: AgentFile, payload: SignedPayload): void {
  const digest = createDigest(payload);
  const piece = Buffer.allocUnsafeSlow(Math.min(pieceBytes, payload.lengthBytes));
  let copiedBytes = 0;
  while (copiedBytes < payload.lengthBytes) {
    const wanted = piece.subarray(0, Math.min(piece.length, payload.lengthBytes - copiedBytes));
    const count = file.read(wanted, copiedBytes);
    if (count === 0) throw mismatch(file.path, "it became shorter while it was copied");
    // Hash and write the same copy in memory: the file may have changed since.
    digest.update(wanted.subarray(0, count));
    for (let written = 0; written < count; ) written += writeSync(own, wanted, written, count - written);
    copiedBytes += count;
  }
  const difference = digest.difference();
  if (difference !== null) throw mismatch(file.path, difference);
}
