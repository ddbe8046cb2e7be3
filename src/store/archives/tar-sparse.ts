import type { ByteSource, Steps } from "./byte-source.ts";
import { blockBytes, decimalOf, numberAt, type TarHeader } from "./tar-header.ts";

/** Offset and length of content between holes. */
export type Segment = readonly [at: number, bytes: number];

export interface SparseFile {
  readonly name: string;
  /** Bytes, with its holes. */
  readonly sizeBytes: number;
  readonly segments: readonly Segment[];
}

/** Segments of a file, all of which are kept in memory: about 1 MiB. */
export const mostSegments = 16_384;

/** GNU's older form, which `tar -S` writes: four segments in the header, 21 in each block after it. null: it is damaged. */
export function* gnuSparse(block: Buffer, header: TarHeader, source: ByteSource): Steps<SparseFile | null> {
  const numbers = numbersIn(block, 386, 8);
  for (let hasMore = block[482] !== 0; hasMore; ) {
    const more = yield* source.exactly(blockBytes);
    numbers.push(...numbersIn(more, 0, 42));
    if (numbers.length > 2 * mostSegments) return null;
    hasMore = more[504] !== 0;
  }
  return sound({ name: header.name, sizeBytes: numberAt(block, 483, 12), numbers, storedBytes: header.size });
}

/** The numbers that are not used are zeros: segments without a byte. */
function numbersIn(block: Buffer, from: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => numberAt(block, from + 12 * index, 12));
}

/**
 * GNU's form for pax, version 1.0, which bsdtar writes as well: the content begins with whole blocks of decimal numbers, a
 * line each, of which the first is the number of segments. null: it is damaged, or of another version.
 */
export function* paxSparse(
  attributes: ReadonlyMap<string, string>,
  header: TarHeader,
  source: ByteSource,
): Steps<SparseFile | null> {
  if (attributes.get("GNU.sparse.major") !== "1" || attributes.get("GNU.sparse.minor") !== "0") return null;
  const numbers: number[] = [];
  let rest = "";
  let storedBytes = header.size;
  for (let wanted = 1; numbers.length < wanted; ) {
    storedBytes -= blockBytes;
    const lines =
      `${rest}${storedBytes < 0 ? "" : (yield* source.exactly(blockBytes)).toString("latin1")}`.split("\n");
    rest = lines.pop() ?? "";
    numbers.push(...lines.map(decimalOf));
    const [count = Number.NaN] = numbers;
    if (lines.length === 0 || !(count <= mostSegments)) return null;
    wanted = 1 + 2 * count;
  }
  const [count = 0, ...pairs] = numbers;
  if (pairs.length !== 2 * count) return null;
  return sound({
    name: attributes.get("GNU.sparse.name") ?? header.name,
    sizeBytes: decimalOf(attributes.get("GNU.sparse.realsize")),
    numbers: pairs,
    storedBytes,
  });
}

/** null where segments overlap, go back or beyond the end of the file, or are not what the archive has of it. */
function sound(map: {
  name: string;
  sizeBytes: number;
  numbers: readonly number[];
  storedBytes: number;
}): SparseFile | null {
  const { name, sizeBytes, numbers, storedBytes } = map;
  const segments: Segment[] = [];
  let [end, stored] = [0, 0];
  for (let index = 0; index < numbers.length; index += 2) {
    const [at = Number.NaN, bytes = Number.NaN] = numbers.slice(index, index + 2);
    // Also where one of them is no number.
    if (!(at >= 0 && bytes >= 0 && (bytes === 0 || at >= end))) return null;
    if (bytes === 0) continue;
    [end, stored] = [at + bytes, stored + bytes];
    segments.push([at, bytes]);
  }
  return end <= sizeBytes && stored === storedBytes ? { name, sizeBytes, segments } : null;
}
