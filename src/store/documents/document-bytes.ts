import { openRegular } from "../files/regular-file.ts";

/** Bytes of one read or write: of a large document no more is held beside its value. */
export const blockBytes = 64 * 1024;

/** The text in blocks. Each is valid until the next one is asked for. */
export function* blocksOf(pieces: Iterable<string>): Generator<Buffer, void, undefined> {
  let room = Buffer.allocUnsafeSlow(0);
  let waiting = "";
  const next = (): Buffer => {
    const length = Buffer.byteLength(waiting);
    if (room.length < length) room = Buffer.allocUnsafeSlow(length);
    room.write(waiting);
    waiting = "";
    return room.subarray(0, length);
  };
  for (const piece of pieces) {
    waiting += piece;
    if (waiting.length >= blockBytes) yield next();
  }
  if (waiting !== "") yield next();
}

/** True if a regular file has this text. */
export async function holds(path: string, pieces: Iterable<string>): Promise<boolean> {
  const opened = await openRegular(path).catch(() => null);
  if (opened === null) return false;
  const { file, stats } = opened;
  try {
    let length = 0;
    for (const block of blocksOf(pieces)) {
      const there = Buffer.allocUnsafeSlow(block.length);
      const { bytesRead } = await file.read(there, 0, there.length, length);
      if (bytesRead < block.length || !there.equals(block)) return false;
      length += bytesRead;
    }
    return length === stats.size;
  } catch {
    return false;
  } finally {
    await file.close();
  }
}
