import type { FileHandle } from "node:fs/promises";
import { basename } from "node:path";
import { ifAbsent, StewardError } from "../../contract/errors.ts";
import { openRegular } from "../../store/files/regular-file.ts";
import type { Segment } from "./event-segments.ts";

export type EventFile = ReturnType<typeof fileOf>;

const pieceBytes = 64 * 1024;

/** Openings that a new segment in the midst of one may spoil; a record has a new segment once in some hundred events. */
const mostAttempts = 5;

/**
 * Opens every segment, and calls `also` in the turn in which all of them are open and none was added or dropped: so both
 * are of one moment. The files stay readable, whatever happens to the record, until they are closed. Throws the system's
 * errors, and `storage_unwritable` where segments come and go all the time.
 */
export async function openSnapshot<T>(present: () => readonly Segment[], also: () => T) {
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const wanted = present();
    const opened = await openAll(wanted);
    if (opened !== null && isSame(wanted, present()))
      return { files: opened.map(fileOf), also: also(), close: () => closeAll(opened) };
    await closeAll(opened ?? []);
  }
  throw new StewardError(
    "storage_unwritable",
    "The record of events changes too fast to be copied. Try again.",
  );
}

interface OpenSegment {
  readonly segment: Segment;
  readonly file: FileHandle;
  readonly sizeBytes: number;
}

/** Null if a segment was removed meanwhile. */
async function openAll(segments: readonly Segment[]): Promise<OpenSegment[] | null> {
  const opened: OpenSegment[] = [];
  try {
    for (const segment of segments) {
      const { file, stats } = await openRegular(segment.path);
      opened.push({ segment, file, sizeBytes: stats.size });
    }
    return opened;
  } catch (error) {
    await closeAll(opened);
    return ifAbsent(error);
  }
}

function isSame(one: readonly Segment[], other: readonly Segment[]): boolean {
  return one.length === other.length && one.every((segment, index) => segment === other[index]);
}

async function closeAll(opened: readonly OpenSegment[]): Promise<void> {
  for (const { file } of opened) await file.close().catch(() => undefined);
}

/** A file that is read to its end, whatever that is, is never changed in its place. */
function fileOf({ segment, file, sizeBytes }: OpenSegment) {
  const { path } = segment;
  const bytes = Number.isFinite(segment.sizeBytes) ? segment.sizeBytes : sizeBytes;
  return {
    /** In the directory of events. */
    name: basename(path),
    /** Its whole lines of that moment. */
    content: (): AsyncIterable<Uint8Array> => piecesOf(file, bytes, path),
  };
}

async function* piecesOf(file: FileHandle, sizeBytes: number, path: string): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < sizeBytes; ) {
    const piece = Buffer.allocUnsafeSlow(Math.min(pieceBytes, sizeBytes - at));
    const { bytesRead } = await file.read(piece, 0, piece.length, at);
    if (bytesRead === 0)
      throw new StewardError(
        "storage_unwritable",
        `${path} is shorter than it was: the disk returned fewer bytes than the file has.`,
      );
    yield piece.subarray(0, bytesRead);
    at += bytesRead;
  }
}
