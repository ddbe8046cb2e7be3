import { link, stat } from "node:fs/promises";
import { syncDirectory, writeDurably } from "../files/durable-file.ts";
import type { StoreTime } from "../files/store-time.ts";
import { blocksOf, holds } from "./document-bytes.ts";
import { type DocumentKind, documentPath, goodCopyName, largeBytes } from "./document-kind.ts";
import type { OnDisk } from "./form-writer.ts";
import { keepVersion, versionNames } from "./kept-files.ts";
import { readForm } from "./read-form.ts";

/**
 * The copies of a document that are made in the background. The good copy is a file of its own with the whole document:
 * a hard link to the document would share its damage. A version is another name of the good copy, which costs no write,
 * and becomes the only name of that content with the next good copy.
 */
export type Copies = ReturnType<typeof createCopies>;

/** Seconds without a change after which copies are written: one more write, but not at each change. */
const quietSeconds = 2;

/** Seconds between two good copies of a large document in which no person has changed anything: each writes all of it. */
const largeSeconds = 600;

/** `onDisk`: null if nothing is to be copied now. A failed copy is made with the next change or start. */
export function createCopies<T extends object>(
  directory: string,
  kind: DocumentKind<T>,
  onDisk: () => OnDisk<T> | null,
  { timers, uptime, wall }: StoreTime,
) {
  const good = documentPath(directory, goodCopyName(kind.name));
  let takeBack = (): void => undefined;
  let making = Promise.resolve();
  let writtenAt = Number.NEGATIVE_INFINITY;
  /** The value of the newest version; undefined until it is looked for. */
  let last: T | null | undefined;
  const within = (seconds: number): void => {
    takeBack();
    takeBack = timers.after(seconds, () => void make(false));
  };
  const copy = async (present: OnDisk<T>, isLast: boolean): Promise<void> => {
    last ??= kind.isNewVersion ? await newestVersion(directory, kind, present) : null;
    const isNewVersion = kind.isNewVersion?.(last, present.value) === true;
    const rest = writtenAt + largeSeconds - uptime();
    if (!isNewVersion && !isLast && rest > 0 && (await isLarge(good))) return within(rest);
    const isCopied = await bringUpToDate(good, present).catch(() => false);
    if (isCopied) writtenAt = uptime();
    if (isNewVersion)
      await keepVersion(directory, kind.name, wall, (path) => writeVersion(good, path, present));
    last = present.value;
  };
  /** One after the other: two at once would keep one version twice. */
  const make = (isLast: boolean): Promise<void> => {
    making = making.then(async () => {
      const present = onDisk();
      if (present !== null) await copy(present, isLast).catch(() => undefined);
    });
    return making;
  };
  return {
    /**
     * Brings them up to date when the document has been unchanged for a while. After a start too: a good copy may be
     * damaged, or old since the last process was killed, and the next damage would bring the past back.
     */
    soon: (): void => within(quietSeconds),
    close: async (): Promise<void> => {
      takeBack();
      await make(true);
      takeBack();
    },
  };
}

async function newestVersion<T extends object>(
  directory: string,
  kind: DocumentKind<T>,
  present: OnDisk<T>,
): Promise<T | null> {
  const newest = (await versionNames(directory, kind.name)).at(-1);
  if (newest === undefined) return null;
  // It is not read where it is the same, since it would be held beside the present value.
  if (await holds(`${directory}/${newest}`, present.pieces())) return present.value;
  const found = await readForm(directory, kind, newest.replace(/\.json$/, ""));
  return "value" in found ? found.value : null;
}

/** True if it was written. Throws `storage_full` and `storage_unwritable`. */
async function bringUpToDate(good: string, { pieces }: OnDisk<object>): Promise<boolean> {
  if (await holds(good, pieces())) return false;
  await writeDurably(good, blocksOf(pieces()));
  return true;
}

/** The good copy could not be written, or the file system has no links: then the version is a file of its own. */
async function writeVersion(good: string, version: string, { pieces }: OnDisk<object>): Promise<void> {
  const isShared = (await holds(good, pieces())) && (await isLinked(good, version));
  if (isShared) await syncDirectory(version.slice(0, version.lastIndexOf("/")));
  else await writeDurably(version, blocksOf(pieces()));
}

async function isLarge(path: string): Promise<boolean> {
  return ((await stat(path).catch(() => null))?.size ?? 0) >= largeBytes;
}

function isLinked(path: string, other: string): Promise<boolean> {
  return link(path, other).then(
    () => true,
    () => false,
  );
}
