import { constants } from "node:fs";
import { type FileHandle, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncDirectory } from "../../store/files/durable-file.ts";
import { openDispensable } from "../../store/files/regular-file.ts";
import { createDigest, type Digest, type SignedPayload } from "../signed-payload.ts";
import { hashInto } from "../staged-payload.ts";

/** Smaller pieces are gathered up to so many bytes: each write is a turn of another thread. */
const gatheredBytes = 65_536;

/** The bytes of a payload that have come so far, on the disk and in the running hashes. */
export type PayloadPart = Awaited<ReturnType<typeof openPart>>;

/** Opens `<directory>/<id>.part`, hashing its content. Anything but a regular file, or a part that is too long, is replaced. */
export async function openPart(directory: string, payload: SignedPayload) {
  const path = partPathOf(directory, payload);
  const handle = await openDispensable(path, constants.O_RDWR);
  const state: PartState = { handle, digest: createDigest(payload), lengthBytes: 0 };
  const writer = createWriter(state);
  const beginAnew = async (): Promise<void> => {
    writer.drop();
    await handle.truncate(0);
    state.lengthBytes = 0;
    state.digest = createDigest(payload);
  };
  try {
    if ((await handle.stat()).size > payload.lengthBytes) await beginAnew();
    else state.lengthBytes = await hashInto(state.digest, handle, payload.lengthBytes);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return {
    lengthBytes: () => state.lengthBytes,
    beginAnew,
    append: writer.append,
    /** Until everything that was appended is in the file. */
    flush: writer.flush,
    /** After a flush, once: what differs; null: it is the signed payload. */
    difference: (): string | null => state.digest.difference(),
    /** After a flush: synchronised to the disk, and then renamed to its own name. */
    moveTo: async (target: string): Promise<void> => {
      await handle.sync();
      await rename(path, target);
      for (const changed of [dirname(target), directory]) await syncDirectory(changed);
    },
    discard: () => rm(path, { force: true }),
    close: () => handle.close(),
  };
}

/** Removes the leftovers of a download whose payload is staged: a power cut between two directories leaves it in both. */
export async function removePart(directory: string, { id }: SignedPayload): Promise<void> {
  await rm(partPathOf(directory, { id }), { force: true, recursive: true });
}

/** The path of a part below the directory of downloads. */
export function partPathOf(directory: string, { id }: Pick<SignedPayload, "id">): string {
  return join(directory, `${id}.part`);
}

interface PartState {
  readonly handle: FileHandle;
  digest: Digest;
  /** Appended, whether it is written already or not. */
  lengthBytes: number;
}

function createWriter(state: PartState) {
  const gathered = Buffer.allocUnsafeSlow(gatheredBytes);
  let filledBytes = 0;
  const write = async (bytes: Uint8Array, position: number): Promise<void> => {
    const writing = writeWhole(state.handle, bytes, position);
    // Hashed while the disk takes them. The next bytes wait in the socket meanwhile: no copy of these is needed.
    state.digest.update(bytes);
    await writing;
  };
  const flush = async (): Promise<void> => {
    if (filledBytes === 0) return;
    await write(gathered.subarray(0, filledBytes), state.lengthBytes - filledBytes);
    filledBytes = 0;
  };
  return {
    append: async (piece: Uint8Array): Promise<void> => {
      if (filledBytes + piece.byteLength > gatheredBytes) await flush();
      if (piece.byteLength > gatheredBytes) await write(piece, state.lengthBytes);
      else {
        gathered.set(piece, filledBytes);
        filledBytes += piece.byteLength;
      }
      state.lengthBytes += piece.byteLength;
    },
    flush,
    /** Drops what is not written yet. */
    drop: (): void => {
      filledBytes = 0;
    },
  };
}

async function writeWhole(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < bytes.byteLength; ) {
    const { bytesWritten } = await handle.write(
      bytes,
      written,
      bytes.byteLength - written,
      position + written,
    );
    written += bytesWritten;
  }
}
