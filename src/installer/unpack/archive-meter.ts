import type { UnpackCaps } from "./unpack-caps.ts";
import { unsafePayload } from "./unsafe-payload.ts";

/** Bytes of a tar's block. */
export const blockBytes = 512;
const zeros = Buffer.alloc(blockBytes);

/** Pairs of zero blocks that are remembered: the reader is less than these 2 MiB behind what passes. */
const mostMarks = 4_096;

/** Watches an archive go by, decompressed: how much of it there is, how far it was blown up, and where it ends. */
export interface ArchiveMeter {
  /** Whole blocks, before the reader of the archive has them. Throws `update_payload_unsafe`. */
  pass(piece: Uint8Array): void;
  /**
   * An entry whose header ends at this byte and has content of this size. Throws `update_payload_unsafe` behind an end
   * of the archive: other programs do not show what comes there.
   */
  entry(headerEnd: number, sizeBytes: number): void;
  /** Throws `update_payload_unsafe` where the archive has no end. */
  end(): void;
}

type MeterCaps = Pick<UnpackCaps, "bytes" | "expansion" | "expansionFreeBytes">;

/** `compressedBytes`: those that were decompressed so far. */
export function createArchiveMeter(caps: MeterCaps, compressedBytes: () => number): ArchiveMeter {
  let passed = 0;
  // Where the last entry ends, and the pairs of zero blocks from there on: such a pair is how a tar ends.
  let lastEnd = 0;
  let marks: number[] = [];
  let isZeroBefore = false;
  return {
    pass: (piece) => {
      findMarks(piece);
      passed += piece.length;
      if (passed > caps.bytes) throw unsafePayload(`it holds more than ${caps.bytes / 1024 ** 3} GiB`);
      if (passed > caps.expansionFreeBytes && passed > caps.expansion * compressedBytes())
        throw unsafePayload(`it grows to more than ${caps.expansion} times its size`);
    },
    entry: (headerEnd, sizeBytes) => {
      const begin = headerEnd - blockBytes;
      if (marks.some((mark) => mark >= lastEnd && mark < begin))
        throw unsafePayload("it goes on behind the end of its archive");
      lastEnd = headerEnd + Math.ceil(sizeBytes / blockBytes) * blockBytes;
      marks = marks.filter((mark) => mark >= lastEnd);
    },
    end: () => {
      if (marks.length === 0) throw unsafePayload("its archive is cut off");
    },
  };

  /** Skips what is known to be an entry's content. */
  function findMarks(piece: Uint8Array): void {
    const first = Math.max(0, Math.min(lastEnd - passed, piece.length));
    if (first > 0) isZeroBefore = false;
    for (let offset = first; offset < piece.length; offset += blockBytes) {
      const isZero = piece[offset] === 0 && zeros.equals(piece.subarray(offset, offset + blockBytes));
      if (isZero && isZeroBefore && marks.length < mostMarks) marks.push(passed + offset - blockBytes);
      isZeroBefore = isZero;
    }
  }
}
