import { createReadStream } from "node:fs";
import { type FileHandle, open, readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { createGunzip } from "node:zlib";
import { rethrown, StewardError, systemErrorCode } from "../../contract/errors.ts";
import { unreadable } from "../files.ts";

/** A former file of a log, as logrotate and others keep it beside the log. */
export interface RotatedLog {
  readonly path: string;
  readonly ino: number;
  /** Milliseconds since 1970 of its last line, also of a file that was compressed later. */
  readonly modified: number;
}

/** `.1`, `.2.gz`, `-20261127`, `.2026-11-27.gz`; before the last extension too, as with `extension .log`. */
const suffix = String.raw`[.-]\d[\d-]*`;

/** The rotated files of a log, the oldest first. */
export async function rotatedBeside(path: string): Promise<readonly RotatedLog[]> {
  const directory = dirname(path);
  const [, stem = "", extension = ""] = /^(.*?)(\.[^.]*)?$/s.exec(basename(path)) ?? [];
  const form = new RegExp(
    `^${literally(stem)}(?:${literally(extension)}${suffix}|${suffix}${literally(extension)})(\\.gz)?$`,
    "s",
  );
  const names = await readdir(directory).catch(rethrown((error) => unreadable(directory, error)));
  // While it is being compressed, a file is there twice, the second time cut off.
  const isHalf = (name: string): boolean => name.endsWith(".gz") && names.includes(name.slice(0, -3));
  const found: RotatedLog[] = [];
  for (const name of names.filter((one) => form.test(one) && !isHalf(one))) {
    const stats = await stat(join(directory, name)).catch(() => null);
    if (stats?.isFile()) found.push({ path: join(directory, name), ino: stats.ino, modified: stats.mtimeMs });
  }
  return found.sort((one, other) => one.modified - other.modified);
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** RFC 1952 §2.3.1 */
export async function isGzip(handle: FileHandle): Promise<boolean> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0);
  return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
}

/** The bytes of a file from its beginning, unpacked where it is compressed by gzip. Throws `validation_failed` for a damaged one. */
export async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  const handle = await open(path, "r").catch(rethrown((error) => unreadable(path, error)));
  const isPacked = await isGzip(handle);
  // The stream closes the handle.
  const packed = createReadStream("", { fd: handle, start: 0 });
  if (!isPacked) return yield* packed as AsyncIterable<Buffer>;
  try {
    yield* packed.pipe(createGunzip()) as AsyncIterable<Buffer>;
  } catch (cause) {
    const code = systemErrorCode(cause) ?? "";
    if (!code.startsWith("Z_")) throw cause;
    throw new StewardError(
      "validation_failed",
      `${path} is compressed by gzip, and damaged or cut off (${code}). Repair it, or move it away.`,
      { cause },
    );
  } finally {
    packed.destroy();
  }
}
