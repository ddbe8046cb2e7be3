import { link, stat } from "node:fs/promises";
import { syncDirectory, writeDurably } from "../files/durable-file.ts";
import { blocksOf, holds } from "./document-bytes.ts";
import { type DocumentKind, documentPath, goodCopyName } from "./document-kind.ts";
import type { OnDisk } from "./form-writer.ts";
import { largeBytes, readGoodCopy } from "./good-copy.ts";
import { keepVersion, versionNames } from "./kept-files.ts";
import { readForm } from "./read-form.ts";

/**
 * The versions that are kept of a document while it is open. Those of a small document are files of their own. That of a large one is another name of the document's file, which
 * costs no write, and becomes its only name with the next change.
 */
export function createVersions<T extends object>(
  directory: string,
  kind: DocumentKind<T>,
  wall: () => number,
) {
  const path = documentPath(directory, kind.name);
  let last: T | null | undefined;
  const put = (write: (version: string) => Promise<void>): Promise<void> =>
    keepVersion(directory, kind.name, { wall, write });
  const valueIn = async (file: string): Promise<T | null> => {
    const found = await readForm(directory, kind, file);
    return "value" in found ? found.value : null;
  };
  /**
   * A person who has edited the document in its place has changed the version that is the same file. Only the good copy
   * still has what was there.
   */
  const saveFormer = async (present: OnDisk<T>): Promise<void> => {
    const good = documentPath(directory, goodCopyName(kind.name));
    if (await holds(good, present.pieces())) return;
    const former = await valueIn(goodCopyName(kind.name));
    if (former === null || !kind.isNewVersion?.(present.value, former)) return;
    const { bytes } = await readGoodCopy(good);
    await put((version) => writeDurably(version, bytes));
    last = former;
  };
  return {
    /** Finds the last one on the disk, at the first call. */
    begin: async (present: OnDisk<T>): Promise<void> => {
      if (!kind.isNewVersion || last !== undefined) return;
      const newest = (await versionNames(directory, kind.name)).at(-1);
      if (newest === undefined) last = null;
      // It is not read where it is the same, since it would be held beside the present value.
      else if (await holds(`${directory}/${newest}`, present.pieces())) last = present.value;
      else last = await valueIn(newest.replace(/\.json$/, ""));
      if (newest !== undefined && (await isSameFile(path, `${directory}/${newest}`)))
        await saveFormer(present);
    },
    /** Keeps the present value if it is a new version. Throws `storage_full` and `storage_unwritable`. */
    keep: async (present: OnDisk<T>): Promise<void> => {
      if (kind.isNewVersion?.(last ?? null, present.value))
        await put((version) => writeVersion(path, version, present.pieces));
      last = present.value;
    },
  };
}

async function writeVersion(
  document: string,
  version: string,
  pieces: () => Iterable<string>,
): Promise<void> {
  if (await isLinked(document, version, pieces))
    await syncDirectory(version.slice(0, version.lastIndexOf("/")));
  else await writeDurably(version, blocksOf(pieces()));
}

/** False: the document is small, its file has another content, or the file system has no links. */
async function isLinked(path: string, other: string, pieces: () => Iterable<string>): Promise<boolean> {
  const isLarge = await stat(path).then(
    ({ size }) => size >= largeBytes,
    () => false,
  );
  if (!isLarge || !(await holds(path, pieces()))) return false;
  return link(path, other).then(
    () => true,
    () => false,
  );
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([stat(one), stat(other)]).catch(() => []);
  return first !== undefined && first.ino === second?.ino;
}
