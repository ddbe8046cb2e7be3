import { link, stat } from "node:fs/promises";
import { syncDirectory, writeDurably } from "../files/durable-file.ts";
import { readRegular } from "../files/regular-file.ts";
import { type DocumentKind, documentPath, goodCopyName, mostDocumentBytes } from "./document-kind.ts";
import { largeBytes, readGoodCopy } from "./good-copy.ts";
import { keepVersion, versionNames } from "./kept-files.ts";
import { readForm } from "./read-form.ts";

/** The versions that are kept of a document while it is open. */
export interface Versions<T> {
  /** Finds the last one on the disk, at the first call. */
  begin(present: T, text: Buffer): Promise<void>;
  /** Keeps the present value if it is a new version. Throws `storage_full` and `storage_unwritable`. */
  keep(present: T, text: Buffer): Promise<void>;
}

/**
 * Versions of a small document are files of their own. That of a large one is another name of the document's file, which
 * costs no write, and becomes its only name with the next change.
 */
export function createVersions<T extends object>(
  directory: string,
  kind: DocumentKind<T>,
  wall: () => number,
): Versions<T> {
  const path = documentPath(directory, kind.name);
  let last: T | null | undefined;
  const put = (text: Buffer): Promise<void> =>
    keepVersion(directory, kind.name, { wall, write: (version) => writeVersion(path, version, text) });
  const valueIn = async (file: string): Promise<T | null> => {
    const found = await readForm(directory, kind, file);
    return "value" in found ? found.value : null;
  };
  return {
    begin: async (present, text) => {
      if (!kind.isNewVersion || last !== undefined) return;
      const newest = (await versionNames(directory, kind.name)).at(-1);
      if (newest === undefined || !(await isSameFile(path, `${directory}/${newest}`))) {
        last = newest === undefined ? null : await valueIn(newest.replace(/\.json$/, ""));
        return;
      }
      last = present;
      const good = await readGoodCopy(documentPath(directory, goodCopyName(kind.name))).catch(() => null);
      if (good === null || good.bytes.equals(text)) return;
      // A person has edited the document in its place, and so its version: only the good copy has what was there.
      const former = await valueIn(goodCopyName(kind.name));
      if (former === null || !kind.isNewVersion(present, former)) return;
      await put(good.bytes);
      last = former;
    },
    keep: async (present, text) => {
      if (kind.isNewVersion?.(last ?? null, present)) await put(text);
      // Also where it is the same: the one that was read from the disk would be held beside it.
      last = present;
    },
  };
}

async function writeVersion(document: string, version: string, text: Buffer): Promise<void> {
  const isLinked =
    text.length >= largeBytes && (await holds(document, text)) && (await isLinkedTo(document, version));
  if (isLinked) await syncDirectory(version.slice(0, version.lastIndexOf("/")));
  else await writeDurably(version, text);
}

async function holds(path: string, text: Buffer): Promise<boolean> {
  const present = await readRegular(path, mostDocumentBytes).catch(() => null);
  return present?.equals(text) ?? false;
}

/** False: this file system has no links. */
function isLinkedTo(path: string, other: string): Promise<boolean> {
  return link(path, other).then(
    () => true,
    () => false,
  );
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([stat(one), stat(other)]).catch(() => []);
  return first !== undefined && first.ino === second?.ino;
}
