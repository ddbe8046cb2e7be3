/** One file of an archive. Its content has exactly `bytes` bytes. */
export interface ArchivedFile {
  readonly path: string;
  readonly bytes: number;
  readonly content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

const blockBytes = 512;

/** ustar divides a path at a slash into a name of at most 100 bytes and a prefix of at most 155. */
const nameBytes = 100;
const prefixBytes = 155;

/**
 * An archive in the form of POSIX.1-1988 (ustar), which every tar reads, piece by piece: at most one piece of a file is in
 * memory. Paths of ASCII characters; one that does not fit has an extended header (POSIX.1-2001). Throws RangeError for another path, and for a file whose content is not
 * as long as was said: the archive is then cut short, and no reader takes it for a whole one.
 */
export async function* archiveOf(
  files: Iterable<ArchivedFile> | AsyncIterable<ArchivedFile>,
  modifiedAt: Date,
  mode = 0o600,
): AsyncGenerator<Uint8Array> {
  for await (const { path, bytes, content } of files) {
    yield* headers(path, { bytes, modifiedAt, mode });
    let left = bytes;
    for await (const piece of content) {
      left -= piece.length;
      if (left < 0) break;
      yield piece;
    }
    if (left !== 0) throw new RangeError(`${path} does not have the ${bytes} bytes that were announced`);
    yield Buffer.alloc(padding(bytes));
  }
  yield Buffer.alloc(2 * blockBytes);
}

interface Attributes {
  readonly bytes: number;
  readonly modifiedAt: Date;
  readonly mode: number;
}

function* headers(path: string, attributes: Attributes): Generator<Buffer> {
  if (!/^[ -~]+$/.test(path))
    throw new RangeError(`${JSON.stringify(path)} is not a path of ASCII characters`);
  const divided = dividedPath(path);
  if (divided === null) {
    const record = recordOf(`path=${path}\n`);
    yield header({ prefix: "", name: "path", type: "x" }, { ...attributes, bytes: record.length });
    yield Buffer.concat([record, Buffer.alloc(padding(record.length))]);
  }
  yield header({ ...(divided ?? { prefix: "", name: path.slice(-nameBytes) }), type: "0" }, attributes);
}

/** With its length in front, which counts its own digits. */
function recordOf(text: string): Buffer {
  const length = text.length + 1;
  const digits = String(length + String(length).length).length;
  return Buffer.from(`${length + digits} ${text}`);
}

function padding(bytes: number): number {
  return (blockBytes - (bytes % blockBytes)) % blockBytes;
}

function header(
  { prefix, name, type }: { prefix: string; name: string; type: string },
  { bytes, modifiedAt, mode }: Attributes,
): Buffer {
  const block = Buffer.alloc(blockBytes);
  const seconds = Math.max(0, Math.floor(modifiedAt.getTime() / 1_000));
  const octal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, "0")}\0`;
  const fields: readonly (readonly [offset: number, text: string])[] = [
    [0, name],
    [100, octal(mode, 8)],
    [108, octal(0, 8)],
    [116, octal(0, 8)],
    [124, octal(bytes, 12)],
    [136, octal(seconds, 12)],
    // The checksum counts as spaces in its own sum.
    [148, " ".repeat(8)],
    [156, type],
    [257, "ustar\u000000"],
    [345, prefix],
  ];
  for (const [offset, text] of fields) block.write(text, offset, "latin1");
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}

/** null: it does not fit. */
function dividedPath(path: string): { readonly prefix: string; readonly name: string } | null {
  if (path.length <= nameBytes) return { prefix: "", name: path };
  const slash = path.indexOf("/", path.length - nameBytes - 1);
  const isDivided = slash > 0 && slash <= prefixBytes && slash < path.length - 1;
  return isDivided ? { prefix: path.slice(0, slash), name: path.slice(slash + 1) } : null;
}
