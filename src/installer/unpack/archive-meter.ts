import type { PayloadCaps } from "../../releases/payload/payload-caps.ts";
import { unsafePayload } from "../../releases/payload/unsafe-payload.ts";

/** Bytes of a tar's block. */
export const blockBytes = 512;
const zeros = Buffer.alloc(blockBytes);

/** Pairs of zero blocks that are remembered: the reader of the archive lags by less than these 2 MiB. */
const mostMarks = 4_096;

type MeterCaps = Pick<PayloadCaps, "bytes" | "expansion" | "expansionFreeBytes">;

export type ArchiveMeter = ReturnType<typeof createArchiveMeter>;

/**
 * Measures an archive while it is decompressed: its size, its expansion, and where it ends. Throws `update_payload_unsafe`.
 * `compressedBytes`: the number of bytes decompressed so far.
 */
export function createArchiveMeter(caps: MeterCaps, compressedBytes: () => number) {
  let passed = 0;
  // The end of the last entry, and the pairs of zero blocks after it: a tar ends with such a pair.
  let lastEnd = 0;
  let marks: number[] = [];
  let isZeroBefore = false;
  return {
    /** Counts whole blocks, before the reader of the archive gets them. */
    pass: (piece: Uint8Array): void => {
      findMarks(piece);
      passed += piece.length;
      if (passed > caps.bytes) throw unsafePayload(`it holds more than ${caps.bytes / 1024 ** 3} GiB`);
      if (passed > caps.expansionFreeBytes && passed > caps.expansion * compressedBytes())
        throw unsafePayload(`it grows to more than ${caps.expansion} times its size`);
    },
    /**
     * Counts an entry by the end of its header and the size of its content. None may come after the end of the archive,
     * because other programs do not show such entries.
     */
    entry: (headerEnd: number, sizeBytes: number): void => {
      const begin = headerEnd - blockBytes;
      if (marks.some((mark) => mark >= lastEnd && mark < begin))
        throw unsafePayload("it continues after the end of its archive");
      lastEnd = headerEnd + Math.ceil(sizeBytes / blockBytes) * blockBytes;
      marks = marks.filter((mark) => mark >= lastEnd);
    },
    end: (): void => {
      if (marks.length === 0) throw unsafePayload("its archive is truncated");
    },
  };

  /** Skips the known content of entries. */
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
