import type { Transfer } from "../host/ports.ts";

/** The first bytes of an answer, whatever becomes of the rest; the transfer ends. */
export async function beginningOf({ body, close }: Transfer, mostBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of body) {
      // A copy, because the memory of a piece is used again for the next one.
      pieces.push(Buffer.from(piece.subarray(0, mostBytes - bytes)));
      bytes += piece.byteLength;
      if (bytes >= mostBytes) break;
    }
  } catch {
    // The status has decided; its explanation may be cut off.
  } finally {
    close();
  }
  return Buffer.concat(pieces);
}
