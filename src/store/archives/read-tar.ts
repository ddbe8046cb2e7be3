import { setImmediate } from "node:timers/promises";
import type { StewardError } from "../../contract/errors.ts";
import { packedForm } from "./packed-form.ts";
import { type ContentPiece, type TarEntry, tarEntries } from "./tar-entries.ts";

/** A file of an archive as it is read. Its content is read before the next file is asked for, or skipped. */
export interface FoundFile {
  readonly path: string;
  readonly bytes: number;
  readonly content: AsyncIterable<Uint8Array>;
}

export interface TarRules {
  /** The most that all its files have together, and how many they may be, folders among them. */
  readonly bytes: number;
  readonly files: number;
  readonly isSafePath: (path: string) => boolean;
  /** The fault of a compressed archive, with the way to unpack it. */
  readonly compressed: string;
  /** The error of an archive that breaks a rule. The fault continues a sentence whose subject is the archive. */
  readonly unusable: (fault: string) => StewardError;
}

/** Bytes of zeros at the end of an archive: most programs pad it with 10 KiB. */
const mostPaddingBytes = 1024 * 1024;

/** Bytes of headers between two files, what is read ahead among them: extended headers (pax) are records of any number. */
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
  const count = createCount(rules);
  const all = tarEntries(count.padded(source), (why) => rules.unusable(`is damaged or ends early (${why})`));
  const advance = async (): Promise<TarEntry | ContentPiece | undefined> => (await all.next()).value;
  let next: TarEntry | ContentPiece | undefined;
  const content = async function* (): AsyncGenerator<Uint8Array> {
    for (next = await advance(); next && "bytes" in next; next = await advance()) yield next.bytes;
  };
  try {
    for (let entry = await advance(); entry; entry = next === entry ? await advance() : next) {
      next = entry;
      const file = "bytes" in entry ? null : count.entry(entry);
      // The rest of its content is passed over.
      if (file !== null) yield { ...file, content: content() };
    }
  } finally {
    await all.return(undefined);
  }
}

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
          if (passed === 0 && packedForm(piece) !== null) throw unusable(rules.compressed);
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
    entry: (entry: TarEntry): Pick<FoundFile, "path" | "bytes"> | null => {
      entries += 1;
      if (entries > files) throw unusable(`has more than ${files} files and folders`);
      const { attributes, sizeBytes, type } = entry;
      if (attributes.size > mostAttributes)
        throw unusable(`has a file with more than ${mostAttributes} attributes`);
      entryEnd = entry.end;
      if (type === "5") return null;
      const path = regularPath(entry, rules);
      if (seen.has(path)) throw unusable(`has the file ${shown(path)} twice`);
      seen.add(path);
      bytes += sizeBytes;
      if (bytes > mostBytes) throw unusable(`holds more than ${mostBytes} bytes`);
      return { path, bytes: sizeBytes };
    },
  };
}

function regularPath({ name, type }: TarEntry, { isSafePath, unusable }: TarRules): string {
  if (type !== "0") throw unusable(`has ${shown(name)}, which is no regular file`);
  const path = name.replace(/^\.\//, "");
  if (!isSafePath(path)) throw unusable(`has ${shown(name)}, which could lead outside of a directory`);
  return path;
}

/** In printable characters, whatever a stranger has named it. */
function shown(name: string): string {
  return JSON.stringify(name.slice(0, 200).replace(/[^ -~]/g, "?"));
}
