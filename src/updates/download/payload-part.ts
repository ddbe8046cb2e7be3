import { constants } from "node:fs";
import { type FileHandle, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createDigest, type Digest, type SignedPayload } from "../../releases/signed-payload.ts";
import { hashInto } from "../../releases/staged-payload.ts";
import { syncDirectory } from "../../store/files/durable-file.ts";
import { openDispensable } from "../../store/files/regular-file.ts";

/** Bytes written and hashed at a time, of two such buffers: one fills while the disk takes the other. */
const bufferBytes = 524_288;

/** The bytes of a payload that have come so far, on the disk and in the running hashes. */
export interface PayloadPart {
  lengthBytes(): number;
  /** Drops what is there. */
  beginAnew(): Promise<void>;
  append(piece: Uint8Array): Promise<void>;
  /** Until everything that was appended is in the file. */
  flush(): Promise<void>;
  /** After a flush, once: what differs; null: it is the signed payload. */
  difference(): string | null;
  /** After a flush: synchronised to the disk, and then renamed to its own name. */
  moveTo(path: string): Promise<void>;
  /** Removes it. */
  discard(): Promise<void>;
  close(): Promise<void>;
}

/** Opens `<directory>/<id>.part`, hashing its content. Anything but a regular file, or a part that is too long, is replaced. */
export async function openPart(directory: string, payload: SignedPayload): Promise<PayloadPart> {
  const path = partPathOf(directory, payload);
  const handle = await openDispensable(path, constants.O_RDWR);
  const state: PartState = { handle, digest: createDigest(payload), lengthBytes: 0 };
  const writer = createWriter(state);
  const beginAnew = async (): Promise<void> => {
    await writer.settle();
    await handle.truncate(0);
    state.lengthBytes = 0;
    state.digest = createDigest(payload);
  };
  const close = () => writer.settle().then(() => handle.close());
  try {
    if ((await handle.stat()).size > payload.lengthBytes) await beginAnew();
    else state.lengthBytes = await hashInto(state.digest, handle, payload.lengthBytes);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    lengthBytes: () => state.lengthBytes,
    beginAnew,
    append: writer.append,
    flush: writer.flush,
    difference: () => state.digest.difference(),
    moveTo: async (target) => {
      await handle.sync();
      await rename(path, target);
      for (const changed of [dirname(target), directory]) await syncDirectory(changed);
    },
    discard: () => rm(path, { force: true }),
    close,
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

interface PartWriter {
  append(piece: Uint8Array): Promise<void>;
  flush(): Promise<void>;
  /** Waits for writes in progress; the rest of the buffer is dropped. */
  settle(): Promise<void>;
}

function createWriter(state: PartState): PartWriter {
  let filling = Buffer.allocUnsafeSlow(bufferBytes);
  let resting = Buffer.allocUnsafeSlow(bufferBytes);
  let filledBytes = 0;
  let writing: Promise<void> = Promise.resolve();
  const turn = async (): Promise<void> => {
    await writing;
    const full = filling.subarray(0, filledBytes);
    writing = writeWhole(state.handle, full, state.lengthBytes - filledBytes);
    // The next caller that awaits it gets the failure.
    writing.catch(() => undefined);
    state.digest.update(full);
    [filling, resting] = [resting, filling];
    filledBytes = 0;
  };
  return {
    append: async (piece) => {
      for (let taken = 0; taken < piece.byteLength; ) {
        const next = piece.subarray(taken, taken + bufferBytes - filledBytes);
        filling.set(next, filledBytes);
        filledBytes += next.byteLength;
        taken += next.byteLength;
        state.lengthBytes += next.byteLength;
        if (filledBytes === bufferBytes) await turn();
      }
    },
    flush: async () => {
      if (filledBytes > 0) await turn();
      await writing;
    },
    settle: async () => {
      filledBytes = 0;
      await writing.catch(() => undefined);
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
