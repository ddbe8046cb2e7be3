import { readdir, rename, rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import { rethrown } from "../../contract/errors.ts";
import { storageError, writeDurably } from "../files/durable-file.ts";
import { processTime } from "../files/store-time.ts";
import { compareFormats, documentPath } from "./document-kind.ts";

/**
 * The files that are kept of a document besides itself and its good copy: their number, and the word in their names.
 */
const kinds = {
  /** Files that could not be used. */
  bad: { kept: 3 },
  /** The results of the last changes by people. */
  version: { kept: 10 },
} as const;
type Numbered = keyof typeof kinds;

/** Forms before a migration, byte for byte. */
const formsKept = 2;

/** Names of the damaged files kept of a document, oldest first. */
export function keptNames(directory: string, name: string): Promise<string[]> {
  return numberedNames(directory, name, "bad");
}

/** Names of the versions kept of a document, oldest first. */
export function versionNames(directory: string, name: string): Promise<string[]> {
  return numberedNames(directory, name, "version");
}

export function versionsIn(files: readonly string[], name: string): string[] {
  return numberedIn(files, name, "version");
}

/** The number and the time in a kept file's name, by the wall clock. Other names have neither. */
export function markOf(file: string): { number: number; at: string | null } {
  const [, number, stamp] = /\.\w+-(\d+)-(\d{8}T\d{6})Z\.json$/.exec(file) ?? [];
  // Date.parse would even take "T.000Z" for a time.
  if (stamp === undefined) return { number: 0, at: null };
  const at = stamp.replace(/(....)(..)(..)T(..)(..)(..)/, "$1-$2-$3T$4:$5:$6.000Z");
  return { number: Number(number), at: Number.isNaN(Date.parse(at)) ? null : at };
}

/** Renames a document's file, with the time in its name; three are kept. Throws `storage_full`, `storage_unwritable`. */
export async function setAside(directory: string, name: string, wall = processTime.wall): Promise<void> {
  const path = documentPath(directory, name);
  const kept = await keptNames(directory, name);
  const file = nextName(name, "bad", { kept, wall });
  await rename(path, join(directory, file)).catch(rethrown((error) => storageError(path, error)));
  await prune(directory, [...kept, file], kinds.bad.kept);
}

/** Keeps a version of a document, which `write` puts in its place; at most ten are kept. Throws the errors of `write`. */
export async function keepVersion(
  directory: string,
  name: string,
  wall: () => number,
  write: (path: string) => Promise<void>,
): Promise<void> {
  const kept = await versionNames(directory, name);
  const file = nextName(name, "version", { kept, wall });
  await write(join(directory, file));
  await prune(directory, [...kept, file], kinds.version.kept);
}

/** The format versions among these files of a document, the newest first. */
export function formVersions(files: readonly string[], name: string): string[] {
  const pattern = /^\.format-(\d+\.\d+\.\d+)\.json$/;
  const found = files
    .filter((file) => file.startsWith(`${name}.`))
    .flatMap((file) => pattern.exec(file.slice(name.length))?.[1] ?? []);
  return found.sort((one, other) => compareFormats(other, one));
}

/** The file name, without `.json`, of a document's bytes in a former form. */
export function formCopyName(name: string, version: string): string {
  return `${name}.format-${version}`;
}

/** Keeps the bytes of the two newest former forms, for older releases. Throws `storage_full`, `storage_unwritable`. */
export async function keepForm(
  directory: string,
  name: string,
  { version, text }: { version: string; text: string },
): Promise<void> {
  await writeDurably(documentPath(directory, formCopyName(name, version)), text);
  const others = formVersions(await readdir(directory), name).filter((other) => other !== version);
  for (const other of others.slice(formsKept - 1))
    await unlink(documentPath(directory, formCopyName(name, other))).catch(() => undefined);
}

async function numberedNames(directory: string, name: string, word: Numbered): Promise<string[]> {
  return numberedIn(await readdir(directory), name, word);
}

function numberedIn(files: readonly string[], name: string, word: Numbered): string[] {
  return files.filter((file) => file.startsWith(`${name}.${word}-`)).sort();
}

/** The time in a name is only for people: the number before it keeps order and uniqueness if the clock is wrong. */
function nextName(
  name: string,
  word: Numbered,
  { kept, wall }: { kept: readonly string[]; wall: () => number },
): string {
  const stamp = new Date(wall()).toISOString().replace(/[-:]|\.\d+/g, "");
  const last = markOf(kept.at(-1) ?? "").number;
  return `${name}.${word}-${String(last + 1).padStart(6, "0")}-${stamp}.json`;
}

async function prune(directory: string, kept: readonly string[], most: number): Promise<void> {
  // One of them may be a directory.
  for (const old of kept.slice(0, Math.max(0, kept.length - most)))
    await rm(join(directory, old), { recursive: true, force: true }).catch(() => undefined);
}
