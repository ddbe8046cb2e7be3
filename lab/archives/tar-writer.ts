import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";

/** An entry of an archive as it is written, true or not. */
export interface TarEntry {
  /** Bytes where it is no text. */
  readonly name: string | Buffer;
  /** The type flag of ustar: "0" a file, "1" a hard link, "2" a symbolic link, "5" a directory, … */
  readonly type?: string;
  readonly mode?: number;
  readonly linkname?: string;
  readonly content?: Buffer;
  /** The header's own words for the size; that of the content if not given. */
  readonly size?: Buffer | number;
  /** For a file with holes (GNU's "S"): offset and length of each segment, and the size with the holes. */
  readonly map?: { readonly numbers: readonly number[]; readonly sizeBytes: number };
  /** The map goes on after the archive's end. */
  readonly isContinued?: boolean;
}

const block = 512;

/** The end of an archive. */
export const tarEnd = Buffer.alloc(2 * block);

/** Header, content and padding, as POSIX describes ustar; longer names are cut. */
export function tarEntry({
  name,
  type = "0",
  mode = 0o644,
  linkname = "",
  map,
  isContinued,
  ...rest
}: TarEntry): Buffer {
  const { content = Buffer.alloc(0), size = content.length } = rest;
  const header = Buffer.alloc(block);
  Buffer.from(name).copy(header, 0, 0, 100);
  header.write(`${octal(mode, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100, "latin1");
  if (typeof size === "number") header.write(`${octal(size, 11)}\0`, 124, "latin1");
  else size.copy(header, 124, 0, 12);
  header.write(`${octal(0, 11)}\0        ${type}`, 136, "latin1");
  Buffer.from(linkname).copy(header, 157, 0, 100);
  header.write("ustar\x0000", 257, "latin1");
  const blocks = map ? writeMap(header, map, isContinued) : [];
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148, "latin1");
  return Buffer.concat([
    header,
    ...blocks,
    content,
    Buffer.alloc((block - (content.length % block)) % block),
  ]);
}

/** Eight numbers in the header, 42 in each block that continues it. */
function writeMap(
  header: Buffer,
  { numbers, sizeBytes }: NonNullable<TarEntry["map"]>,
  isContinued = false,
): Buffer[] {
  header.write("ustar  \0", 257, "latin1");
  const put = (into: Buffer, at: number, number: number): void => {
    into.writeUInt8(0x80, at);
    into.writeBigUInt64BE(BigInt(number), at + 4);
  };
  numbers.slice(0, 8).forEach((number, index) => {
    put(header, 386 + 12 * index, number);
  });
  const blocks: Buffer[] = [];
  for (let from = 8; from < numbers.length; from += 42) {
    const more = Buffer.alloc(block);
    numbers.slice(from, from + 42).forEach((number, index) => {
      put(more, 12 * index, number);
    });
    more[504] = from + 42 < numbers.length ? 1 : 0;
    blocks.push(more);
  }
  header[482] = isContinued || blocks.length > 0 ? 1 : 0;
  put(header, 483, sizeBytes);
  return blocks;
}

/** With a name as long as you like, the way GNU tar writes it. */
export function longEntry(entry: TarEntry & { readonly name: string }): Buffer {
  const content = Buffer.from(`${entry.name}\0`);
  return Buffer.concat([tarEntry({ name: "././@LongLink", type: "L", content }), tarEntry(entry)]);
}

/** Records of POSIX's extended header for the entry that comes next; of type "g" for all that come. */
export function paxHeader(records: Readonly<Record<string, string>>, type = "x"): Buffer {
  const lines = Object.entries(records).map(([key, value]) => {
    const text = ` ${key}=${value}\n`;
    // The length counts its own digits.
    const bytes = Buffer.byteLength(text);
    const length = [1, 2, 3, 4].find((digits) => String(bytes + digits).length === digits) ?? 5;
    return `${bytes + length}${text}`;
  });
  return tarEntry({ name: "PaxHeader/x", type, content: Buffer.from(lines.join("")) });
}

/** A gzip'd file of these pieces, however many. */
export async function writeGzip(path: string, pieces: Iterable<Buffer>, level = 6): Promise<void> {
  await pipeline(Readable.from(pieces), createGzip({ level }), createWriteStream(path, { flags: "wx" }));
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}
