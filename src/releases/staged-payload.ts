import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { StewardError, systemErrorCode } from "../contract/errors.ts";
import { NotRegular, openRegular } from "../store/files/regular-file.ts";
import { createDigest, type Digest, type SignedPayload } from "./signed-payload.ts";

/** Bytes hashed at a time: the event loop waits for 2 ms at most, on slow devices for 10. */
const pieceBytes = 524_288;

/** The path of a verified payload; `directory` is that of updates in the state. */
export function stagedPath(directory: string, id: string): string {
  return join(directory, "staged", `${id}.tar.gz`);
}

/**
 * Opens a payload for use, and hashes it through the returned descriptor, so that another file put in its place since
 * then does not count. Its position is at the start. The caller closes it. `null`: there is none. Throws
 * `update_payload_mismatch` for anything but a regular file with the signed content.
 */
export async function openStaged(path: string, payload: SignedPayload): Promise<FileHandle | null> {
  const opened = await openRegular(path).catch((error: unknown) => {
    if (systemErrorCode(error) === "ENOENT") return null;
    if (error instanceof NotRegular) throw mismatch(path, `it ${error.reason}`);
    throw error;
  });
  if (opened === null) return null;
  const { file: handle, stats } = opened;
  try {
    if (stats.size !== payload.lengthBytes) {
      throw mismatch(path, `it has ${stats.size} bytes, and ${payload.lengthBytes} are signed`);
    }
    const digest = createDigest(payload);
    await hashInto(digest, handle, payload.lengthBytes);
    const difference = digest.difference();
    if (difference !== null) throw mismatch(path, difference);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Hashes a file from its start, at most `mostBytes` of it, and returns their number. The position stays. */
export async function hashInto(digest: Digest, handle: FileHandle, mostBytes: number): Promise<number> {
  const piece = Buffer.allocUnsafeSlow(pieceBytes);
  for (let position = 0; ; ) {
    const wanted = Math.min(piece.length, mostBytes - position);
    const { bytesRead } = await handle.read(piece, 0, wanted, position);
    // The end of the file, or all wanted bytes were read.
    if (bytesRead === 0) return position;
    digest.update(piece.subarray(0, bytesRead));
    position += bytesRead;
  }
}

/** `update_payload_mismatch`. */
export function mismatch(what: string, why: string): StewardError {
  return new StewardError(
    "update_payload_mismatch",
    `The payload ${what} is not what was signed: ${why}. It is not used.`,
  );
}
