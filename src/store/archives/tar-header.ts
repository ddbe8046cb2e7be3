/** Bytes of a tar's block. */
export const blockBytes = 512;

const space = 0x20;

/** The members of a header that count here (POSIX.1-2017, pax, "ustar Interchange Format"). */
export type TarHeader = NonNullable<ReturnType<typeof readHeader>>;

/** null: the block is no header of a tar. */
export function readHeader(block: Buffer) {
  let sum = 8 * space;
  for (let at = 0; at < blockBytes; at += 1) if (at < 148 || at >= 156) sum += block[at] ?? 0;
  if (numberAt(block, 148, 8) !== sum) return null;
  const name = textAt(block, 0, 100);
  // GNU has times in its place.
  const prefix = block.toString("latin1", 257, 263) === "ustar\0" ? textAt(block, 345, 155) : "";
  const flag = block.toString("latin1", 156, 157);
  return {
    name: prefix === "" ? name : `${prefix}/${name}`,
    // The type flag as a letter. Old archives have no flag; a contiguous file is a file (POSIX).
    type: flag === "\0" || flag === "7" ? "0" : flag,
    /** NaN, as for the size, where it is no number. */
    mode: numberAt(block, 100, 8),
    size: numberAt(block, 124, 12),
    linkname: textAt(block, 157, 100),
  };
}

/** Octal digits, or GNU's form of 256 values a byte for greater ones. NaN: neither, or below zero. */
export function numberAt(block: Buffer, at: number, length: number): number {
  const end = at + length;
  let next = at;
  if (block[at] === 0x80) {
    for (next += 1; next < end - 6; next += 1) if (block[next] !== 0) return Number.NaN;
    return block.readUIntBE(next, 6);
  }
  while (next < end && block[next] === space) next += 1;
  let number = 0;
  for (; next < end; next += 1) {
    const digit = (block[next] ?? 0) - 0x30;
    if (digit < 0 || digit > 7) break;
    number = number * 8 + digit;
  }
  return next === end || block[next] === space || block[next] === 0 ? number : Number.NaN;
}

/** UTF-8 up to the first zero; bytes that are none become U+FFFD. */
export function textAt(block: Buffer, at: number, length: number): string {
  const end = block.indexOf(0, at);
  return block.toString("utf8", at, end < 0 ? at + length : Math.min(end, at + length));
}

/** The records of an extended header, each as `LENGTH KEY=VALUE` and a line feed; null: they are damaged. */
export function readRecords(content: Buffer): ReadonlyMap<string, string> | null {
  const records = new Map<string, string>();
  for (let at = 0; at < content.length; ) {
    const digits = /^\d{1,7}(?= )/.exec(content.toString("latin1", at, at + 8))?.[0] ?? "";
    const end = at + Number(digits);
    const text = content.toString("utf8", at + digits.length + 1, end - 1);
    const equals = text.indexOf("=");
    if (end > content.length || content[end - 1] !== 0x0a || equals < 1) return null;
    records.set(text.slice(0, equals), text.slice(equals + 1));
    at = end;
  }
  return records;
}

/** NaN for anything but digits. */
export function decimalOf(text: string | undefined): number {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}

export function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

/** With the padding up to the next block. */
export function padded(bytes: number): number {
  return Math.ceil(bytes / blockBytes) * blockBytes;
}
