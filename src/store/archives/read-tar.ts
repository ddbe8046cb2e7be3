import { setImmediate } from "node:timers/promises";
import { extract, type Header } from "tar-stream";
import { messageOf, StewardError } from "../../contract/errors.ts";
import { pour } from "./pour.ts";

/** A file of an archive as it is read. Its content is read before the next file is asked for, or skipped. */
export interface FoundFile {
  readonly path: string;
  readonly bytes: number;
  readonly content: AsyncIterable<Uint8Array>;
}

/** The rules of one kind of archive. */
export interface TarRules {
  /** The most that all its files have together, and how many they may be, folders among them. */
  readonly bytes: number;
  readonly files: number;
  /** True for a path that a file may have. */
  readonly isSafePath: (path: string) => boolean;
  /** The fault of a compressed archive, with the way to unpack it. */
  readonly compressed: string;
  /** The error of an archive that breaks a rule. The fault continues a sentence whose subject is the archive. */
  readonly unusable: (fault: string, cause?: unknown) => StewardError;
}

/** Bytes of zeros at the end of an archive: most programs pad it with 10 KiB. */
const mostPaddingBytes = 1024 * 1024;

/**
 * Bytes of headers between two files, what is read ahead among them. Extended headers (pax) are records of any number,
 * and the records of a global one are copied at each that follows.
 */
const mostHeaderBytes = 64 * 1024;

/** Extended attributes of a file; a path, times, an owner and a few of a file system are usual. */
const mostAttributes = 64;

/** Bytes that are read in a turn of the event loop, since all headers among them are. */
const pieceBytes = 16 * 1024;

/**
 * The files of a tar in their order, with one piece of one of them in memory. Directories are passed over, so that an
 * archive that a person has packed again is read as well. Throws by `unusable` for a path that is not safe, a second file of
 * the same path, an entry that is no regular file, more than the rules allow, and an archive that is damaged or ends
 * early; and what the source throws.
 */
export async function* readTar(
  source: AsyncIterable<Uint8Array>,
  rules: TarRules,
): AsyncGenerator<FoundFile> {
  const archive = extract();
  let fault: unknown = null;
  const count = createCount(rules);
  const feeding = pour(count.padded(source), archive).catch((error: unknown) => {
    fault = error;
    // With an error: one that is only closed keeps those waiting who ask for its next file afterwards.
    archive.destroy(error instanceof Error ? error : new Error(messageOf(error)));
  });
  // A failure of the source is why the archive ends.
  const explained = (error: unknown): unknown => fault ?? asUnusable(error, rules);
  try {
    for await (const entry of archive) {
      const file = count.entry(entry.header);
      if (file !== null) yield { ...file, content: contentOf(entry as AsyncIterable<Uint8Array>, explained) };
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
function asUnusable(error: unknown, { unusable }: TarRules): unknown {
  if (error instanceof StewardError) return error;
  return unusable(`is damaged or ends early (${messageOf(error)})`, error);
}

/** Counts the bytes and files of an archive, and judges them. */
function createCount(rules: TarRules) {
  const { files, bytes: mostBytes, unusable } = rules;
  const seen = new Set<string>();
  let [bytes, entries, entryEnd] = [0, 0, 0];
  return {
    /** Refuses endless headers, and endless zeros, which a reader of archives takes for the end of one. */
    padded: async function* (source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      let passed = 0;
      for await (const whole of source)
        for (let at = 0; at < whole.length; at += pieceBytes) {
          const piece = whole.subarray(at, at + pieceBytes);
          // People send one, and it would count as damaged.
          if (passed === 0 && isCompressed(piece)) throw unusable(rules.compressed);
          const besides = passed - entryEnd;
          if (besides > mostPaddingBytes) throw unusable("has more than 1 MiB besides its files");
          if (besides > mostHeaderBytes && piece.some((byte) => byte !== 0))
            throw unusable("has more than 64 KiB of headers between two files");
          passed += piece.length;
          yield piece;
          await setImmediate();
        }
    },
    /** null: a directory. */
    entry: (header: Header): Pick<FoundFile, "path" | "bytes"> | null => {
      entries += 1;
      if (entries > files) throw unusable(`has more than ${files} files and folders`);
      const { byteOffset, pax, size, type } = header as Header & { byteOffset: number };
      if (Object.keys(pax ?? {}).length > mostAttributes)
        throw unusable(`has a file with more than ${mostAttributes} attributes`);
      entryEnd = byteOffset + size;
      if (type === "directory") return null;
      const path = regularPath(header, rules);
      if (seen.has(path)) throw unusable(`has the file ${shown(path)} twice`);
      seen.add(path);
      bytes += size;
      if (bytes > mostBytes) throw unusable(`holds more than ${mostBytes} bytes`);
      return { path, bytes: size };
    },
  };
}

function isCompressed(piece: Uint8Array): boolean {
  return /^(1f8b|28b52ffd|425a68|fd377a58|504b0304)/.test(Buffer.from(piece.subarray(0, 4)).toString("hex"));
}

function regularPath({ name, type, size }: Header, { isSafePath, unusable }: TarRules): string {
  if (type !== "file") throw unusable(`has ${shown(name)}, which is no regular file`);
  if (!Number.isSafeInteger(size) || size < 0) throw unusable(`has ${shown(name)} with an impossible size`);
  const path = name.replace(/^\.\//, "");
  if (!isSafePath(path)) throw unusable(`has ${shown(name)}, which could lead outside of a directory`);
  return path;
}

/** In printable characters, whatever a stranger has named it. */
function shown(name: string): string {
  return JSON.stringify(name.slice(0, 200).replace(/[^ -~]/g, "?"));
}
