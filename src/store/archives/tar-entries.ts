import { type ByteSource, createByteSource, type Steps } from "./byte-source.ts";
import {
  blockBytes,
  decimalOf,
  isZero,
  numberAt,
  padded,
  readHeader,
  readRecords,
  type TarHeader,
  textAt,
} from "./tar-header.ts";

/** A piece of the content of the entry before it, and its offset. Between two pieces there may be a hole. */
export interface ContentPiece {
  readonly bytes: Uint8Array;
  readonly at: number;
}

export interface TarEntry {
  readonly name: string;
  /** The type flag of tar(5): "S" a file with holes in any form, "0" any other file, "5" a directory of old archives too. */
  readonly type: string;
  readonly mode: number;
  /** Bytes of the content as it is unpacked, holes among them. */
  readonly sizeBytes: number;
  readonly linkname: string;
  /** Records of POSIX's extended header (pax). */
  readonly attributes: ReadonlyMap<string, string>;
  /** Bytes of the archive up to its end. */
  readonly end: number;
}

/** Makes the error of an archive that cannot be read. `why` continues a sentence about it, or about the entry named. */
export type Refuse = (why: string, about?: { name?: string; wayOut?: string }) => Error;

/** Bytes of a long name or an extended header. An attribute of a file has up to 64 KiB (xattr(7)). */
const mostHeaderBytes = 1024 ** 2;

const withoutHoles = "Pack it as a whole file: without -S, or with bsdtar --no-read-sparse.";
const twoArchives = "Other programs show only the first of two archives: pack both folders into one.";

const noTar = "it has no tar in it";

/** Links, devices, directories and fifos have no content. */
const withoutContent = /^[1-6]$/;

/**
 * Reads a tar (POSIX ustar and pax, GNU, v7) in one pass: each entry, followed by its content. An archive ends with a block of
 * zeros, and only zeros may follow, because other programs do not show what does. Throws by `refuse`, and what `pieces` throws.
 */
export async function* tarEntries(
  pieces: AsyncIterable<Uint8Array>,
  refuse: Refuse,
): AsyncGenerator<TarEntry | ContentPiece> {
  const source = createByteSource((passed) =>
    refuse(passed < blockBytes ? noTar : "its archive is truncated"),
  );
  const steps = archive(source, refuse);
  for await (const piece of pieces) {
    source.feed(piece);
    for (let next = steps.next().value; next; next = steps.next().value) yield next;
  }
  source.feed(null);
  steps.next();
}

/** Gives undefined where it needs the next piece. */
function* archive(
  source: ByteSource,
  refuse: Refuse,
): Generator<TarEntry | ContentPiece | undefined, undefined> {
  for (let found = yield* nextHeader(source, refuse); found; found = yield* nextHeader(source, refuse)) {
    const { header, attributes } = found;
    const { name, size, mode, linkname } = header;
    if (!(size >= 0) || (withoutContent.test(header.type) && size !== 0))
      throw refuse("has an impossible size", { name });
    const begin = source.passed();
    const file = yield* fileOf(found, source);
    if (file === null)
      throw refuse(`has holes in another form, or more than ${mostSegments}`, { name, wayOut: withoutHoles });
    const { sizeBytes, segments, type } = file;
    // The blocks in which GNU's header goes on do not count for its size.
    const end = (header.type === "S" ? source.passed() : begin) + padded(size);
    // Written out: V8 keeps objects that are spread for longer, which is 16 MiB for 65,536 entries.
    yield { name: file.name, type, mode, linkname, sizeBytes, attributes, end };
    for (const segment of segments) yield* contentOf(segment, source);
    yield* source.skip(end - source.passed());
  }
  for (let rest = yield* source.some(blockBytes); rest.length > 0; rest = yield* source.some(blockBytes))
    if (!isZero(rest)) throw refuse("it continues after the end of its archive", { wayOut: twoArchives });
}

function* contentOf(
  [begin, length]: Segment,
  source: ByteSource,
): Generator<ContentPiece | undefined, undefined> {
  for (let done = 0; done < length; ) {
    const bytes = yield* source.some(length - done);
    // The archive is cut off, which shows when its padding is skipped.
    if (bytes.length === 0) return;
    yield { bytes, at: begin + done };
    done += bytes.length;
  }
}

/** A header, its block, and the records of the extended headers before it, long names of GNU's among them. */
interface FoundHeader {
  readonly header: TarHeader;
  readonly block: Buffer;
  readonly attributes: ReadonlyMap<string, string>;
}

/** null: the archive ends here. */
function* nextHeader(source: ByteSource, refuse: Refuse): Steps<FoundHeader | null> {
  const attributes = new Map<string, string>();
  for (;;) {
    const block = yield* source.exactly(blockBytes);
    if (isZero(block)) return null;
    const header = readHeader(block);
    if (header === null) throw refuse(source.passed() === blockBytes ? noTar : "its archive is damaged");
    if (!"xgLK".includes(header.type)) return { header: extended(header, attributes), block, attributes };
    if (!(header.size <= mostHeaderBytes)) throw refuse("it has a header of more than 1 MiB");
    const content = (yield* source.exactly(padded(header.size))).subarray(0, header.size);
    const records = recordsOf(header.type, content);
    if (records === null) throw refuse("its archive is damaged");
    if (header.type !== "g") for (const [key, value] of records) attributes.set(key, value);
    else if (
      [...records.keys()].some((key) =>
        /^(path|linkpath|size|GNU\.(sparse|volume\.(filename|size|offset)).*)$/.test(key),
      )
    )
      throw refuse("it has one name or size for all entries");
  }
}

function recordsOf(type: string, content: Buffer): ReadonlyMap<string, string> | null {
  if (type === "x" || type === "g") return readRecords(content);
  return new Map([[type === "L" ? "path" : "linkpath", textAt(content, 0, content.length)]]);
}

/** An empty record leaves the header as it is (POSIX.1-2017, pax). Old archives have directories by a slash at their end. */
function extended(header: TarHeader, attributes: ReadonlyMap<string, string>): TarHeader {
  const { mode } = header;
  const name = attributes.get("path") || header.name;
  const type = header.type === "0" && name.endsWith("/") ? "5" : header.type;
  const linkname = attributes.get("linkpath") || header.linkname;
  const size = attributes.get("size");
  return { name, type, mode, linkname, size: size ? decimalOf(size) : header.size };
}

/** null: its holes are not to be understood. */
function* fileOf(
  found: FoundHeader,
  source: ByteSource,
): Steps<(SparseFile & { readonly type: string }) | null> {
  const { header, block, attributes } = found;
  const isPaxSparse = [...attributes.keys()].some((key) => key.startsWith("GNU.sparse."));
  if (!isPaxSparse && header.type !== "S")
    return { name: header.name, type: header.type, sizeBytes: header.size, segments: [[0, header.size]] };
  const file = isPaxSparse
    ? yield* paxSparse(attributes, header, source)
    : yield* gnuSparse(block, header, source);
  return file && { ...file, type: "S" };
}

/** Offset and length of content between holes. */
type Segment = readonly [at: number, bytes: number];

interface SparseFile {
  readonly name: string;
  /** Bytes, with its holes. */
  readonly sizeBytes: number;
  readonly segments: readonly Segment[];
}

/** Segments of a file, all of which are kept in memory: about 1 MiB. */
const mostSegments = 16_384;

/** GNU's older form, which `tar -S` writes: four segments in the header, 21 in each block after it. null: it is damaged. */
function* gnuSparse(block: Buffer, header: TarHeader, source: ByteSource): Steps<SparseFile | null> {
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
function* paxSparse(
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
