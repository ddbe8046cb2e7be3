/** One file of an archive. */
export interface ArchivedFile {
  readonly name: string;
  readonly text: string;
}

const blockBytes = 512;

/** An archive in the form of POSIX.1-1988 (ustar), which every tar reads. Names of up to 100 ASCII characters. */
export function tarOf(files: readonly ArchivedFile[], modifiedAt: Date): Buffer {
  const parts = files.flatMap(({ name, text }) => {
    const content = Buffer.from(text);
    const padding = Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes);
    return [header(name, content.length, modifiedAt), content, padding];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * blockBytes)]);
}

function header(name: string, size: number, modifiedAt: Date): Buffer {
  const block = Buffer.alloc(blockBytes);
  const seconds = Math.max(0, Math.floor(modifiedAt.getTime() / 1_000));
  const octal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, "0")}\0`;
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
  ];
  for (const [offset, text] of fields) block.write(text, offset, "latin1");
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}
