import { lstat, unlink } from "node:fs/promises";
import { syncDirectory, writeDurably } from "../files/durable-file.ts";
import { readRegular, readRegularSync } from "../files/regular-file.ts";
import { holds, textOf } from "./document-bytes.ts";
import { documentPath, goodCopyName, mostDocumentBytes } from "./document-kind.ts";
import { changesBetween, withChanges } from "./good-changes.ts";

/**
 * Bytes from which on a document is large: its copies share with it what they can, since each of them would be another
 * write of all of it.
 */
export const largeBytes = 64 * 1024;

/** A good copy as it is on the disk. `isWhole` is false where what was changed since it was written cannot be read. */
export type GoodCopy = ReturnType<typeof joined>;

/** Throws NotRegular and the system's errors. */
export function readGoodCopySync(path: string): GoodCopy {
  const base = readRegularSync(path, mostDocumentBytes);
  return joined(
    base,
    orNull(() => readRegularSync(changesPath(path), mostDocumentBytes)),
  );
}

/** Throws NotRegular and the system's errors. */
export async function readGoodCopy(path: string): Promise<GoodCopy> {
  const base = await readRegular(path, mostDocumentBytes);
  return joined(base, await readRegular(changesPath(path), mostDocumentBytes).catch(() => null));
}

/** The time at which the file or its changes were last written; null: there is none. */
export async function goodCopyTime(path: string): Promise<Date | null> {
  const files = await Promise.all([path, changesPath(path)].map((file) => lstat(file).catch(() => null)));
  const [copy, changes] = files.map((stats) => stats?.mtime);
  return copy === undefined ? null : changes !== undefined && changes > copy ? changes : copy;
}

/**
 * Makes the good copy equal to a document, and writes as little as that takes: nothing, the changes of a large document,
 * or all. `isFolded`: all where there are changes, for a release that does not know them. Throws `storage_full` and
 * `storage_unwritable`.
 */
export async function bringUpToDate(
  directory: string,
  name: string,
  { pieces, isFolded }: { readonly pieces: () => Iterable<string>; readonly isFolded: boolean },
): Promise<void> {
  const path = documentPath(directory, goodCopyName(name));
  const former = await readRegular(changesPath(path), mostDocumentBytes).catch(() => null);
  if (former === null && (await holds(path, pieces()))) return;
  const base = await readRegular(path, mostDocumentBytes).catch(() => null);
  const text = textOf(pieces(), base?.length ?? 0);
  const isWhole = base === null || isFolded || text.length < largeBytes;
  const changes = isWhole ? null : changesBetween(base, text);
  if (changes !== null) {
    if (former?.toString("utf8") !== changes) await writeDurably(changesPath(path), changes);
    return;
  }
  // A file of its own: a hard link would share the damage.
  await writeDurably(path, text);
  if (former === null) return;
  await unlink(changesPath(path)).catch(() => undefined);
  await syncDirectory(directory);
}

function joined(base: Buffer, changes: Buffer | null) {
  if (changes === null) return { bytes: base, isWhole: true };
  const bytes = withChanges(base, changes.toString("utf8"));
  return { bytes: bytes ?? base, isWhole: bytes !== null };
}

/** Its temporary files are removed with those of the copy. */
function changesPath(path: string): string {
  return `${path}.changes`;
}

function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
