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
 * memory. Paths of ASCII characters. Throws RangeError for a path that does not fit, and for a file whose content is not
 * as long as was said: the archive is then cut short, and no reader takes it for a whole one.
 */
export async function* archiveOf(
  files: Iterable<ArchivedFile> | AsyncIterable<ArchivedFile>,
  modifiedAt: Date,
): AsyncGenerator<Uint8Array> {
  for await (const { path, bytes, content } of files) {
    yield header(path, bytes, modifiedAt);
    let left = bytes;
    for await (const piece of content) {
      left -= piece.length;
      if (left < 0) break;
      yield piece;
    }
    if (left !== 0) throw new RangeError(`${path} does not have the ${bytes} bytes that were announced`);
    yield Buffer.alloc((blockBytes - (bytes % blockBytes)) % blockBytes);
  }
  yield Buffer.alloc(2 * blockBytes);
}

function header(path: string, size: number, modifiedAt: Date): Buffer {
  const block = Buffer.alloc(blockBytes);
  const seconds = Math.max(0, Math.floor(modifiedAt.getTime() / 1_000));
  const octal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, "0")}\0`;
  const { prefix, name } = divided(path);
  const fields: readonly (readonly [offset: number, text: string])[] = [
    [0, name],
    [100, octal(0o600, 8)],
    [108, octal(0, 8)],
    [116, octal(0, 8)],
    [124, octal(size, 12)],
    [136, octal(seconds, 12)],
    // The checksum counts as spaces in its own sum.
    [148, " ".repeat(8)],
    [156, "0"],
    [257, "ustar\u000000"],
    [345, prefix],
  ];
  for (const [offset, text] of fields) block.write(text, offset, "latin1");
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}

function divided(path: string): { readonly prefix: string; readonly name: string } {
  if (!/^[ -~]+$/.test(path))
    throw new RangeError(`${JSON.stringify(path)} is not a path of ASCII characters`);
  if (path.length <= nameBytes) return { prefix: "", name: path };
  const slash = path.indexOf("/", path.length - nameBytes - 1);
  const isDivided = slash > 0 && slash <= prefixBytes && slash < path.length - 1;
  if (!isDivided) throw new RangeError(`${path} is too long for an archive`);
  return { prefix: path.slice(0, slash), name: path.slice(slash + 1) };
}
