import { extract, type Header } from "tar-stream";
import { messageOf, StewardError } from "../contract/errors.ts";
import { pour } from "./pour.ts";
import { unusableBackup } from "./unusable.ts";

/** A file of an archive as it is read. Its content is read before the next file is asked for, or skipped. */
export interface FoundFile {
  readonly path: string;
  readonly bytes: number;
  readonly content: AsyncIterable<Uint8Array>;
}

/** The most that an archive may hold. */
export interface ArchiveCaps {
  /** The sum over all files. */
  readonly bytes: number;
  readonly files: number;
}

/** Every document at its largest, the events, and the files of root. */
export const usualCaps: ArchiveCaps = { bytes: 512 * 1024 * 1024, files: 2_000 };

/** Components of a path: an agent writes at most three. */
const mostComponents = 8;

/**
 * The files of a tar in their order, with one piece of one of them in memory. Directories are passed over, so that an
 * archive that a person has packed again is read as well. Throws `backup_unusable` for a path that could lead outside of
 * a directory, a second file of the same path, an entry that is no regular file, more than the caps, and an archive
 * that is damaged or ends early; and what the source throws.
 */
export async function* readArchive(
  source: AsyncIterable<Uint8Array>,
  caps: ArchiveCaps = usualCaps,
): AsyncGenerator<FoundFile> {
  const archive = extract();
  let fault: unknown = null;
  const feeding = pour(source, archive).catch((error: unknown) => {
    fault = error;
    archive.destroy();
  });
  // A failure of the source is why the archive ends.
  const explained = (error: unknown): unknown => fault ?? asUnusable(error);
  const count = createCount(caps);
  try {
    for await (const entry of archive) {
      if (entry.header.type !== "directory")
        yield { ...count(entry.header), content: contentOf(entry as AsyncIterable<Uint8Array>, explained) };
      // The rest of a file that nobody has read.
      entry.resume();
    }
    await feeding;
    if (fault !== null) throw fault;
  } catch (error) {
    throw explained(error);
  } finally {
    archive.destroy();
    await feeding;
  }
}

async function* contentOf(
  entry: AsyncIterable<Uint8Array>,
  explained: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  try {
    yield* entry;
  } catch (error) {
    throw explained(error);
  }
}

/** The errors of tar-stream have no code. */
function asUnusable(error: unknown): unknown {
  if (error instanceof StewardError) return error;
  return unusableBackup(`is damaged or ends early (${messageOf(error)})`, error);
}

/** Judges one header after the other. Throws `backup_unusable`. */
function createCount(caps: ArchiveCaps): (header: Header) => Pick<FoundFile, "path" | "bytes"> {
  const seen = new Set<string>();
  let bytes = 0;
  return (header) => {
    const path = regularPath(header);
    if (seen.has(path)) throw unusableBackup(`has the file ${shown(path)} twice`);
    seen.add(path);
    bytes += header.size;
    if (seen.size > caps.files) throw unusableBackup(`has more than ${caps.files} files`);
    if (bytes > caps.bytes) throw unusableBackup(`holds more than ${caps.bytes} bytes`);
    return { path, bytes: header.size };
  };
}

function regularPath({ name, type, size }: Header): string {
  if (type !== "file") throw unusableBackup(`has ${shown(name)}, which is no regular file`);
  if (!Number.isSafeInteger(size) || size < 0)
    throw unusableBackup(`has ${shown(name)} with an impossible size`);
  const path = name.replace(/^\.\//, "");
  if (!isSafePath(path)) throw unusableBackup(`has ${shown(name)}, which could lead outside of a directory`);
  return path;
}

/** True for components of plain characters, none of them `.` or `..`, none empty. */
export function isSafePath(path: string): boolean {
  const components = path.split("/");
  const isSafe = (one: string) => /^[A-Za-z0-9._@:+ -]{1,100}$/.test(one) && one !== "." && one !== "..";
  return components.length <= mostComponents && components.every(isSafe);
}

/** In printable characters, whatever a stranger has named it. */
function shown(name: string): string {
  return JSON.stringify(name.slice(0, 200).replace(/[^ -~]/g, "?"));
}
