import type { Stats } from "node:fs";
import { link, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { syncDirectory, temporaryName, writeDurably } from "../files/durable-file.ts";
import type { StoreTime } from "../files/store-time.ts";
import { blocksOf, holds } from "./document-bytes.ts";
import { type DocumentKind, documentPath, goodCopyName, largeBytes } from "./document-kind.ts";
import type { OnDisk } from "./form-writer.ts";
import { keepVersion, versionNames } from "./kept-files.ts";
import { readForm } from "./read-form.ts";

/**
 * The copies of a document that are made in the background. The good copy is a file of its own with the whole document:
 * a hard link to the document would share its damage. A version is another name of the good copy, or of a large document
 * until that has one: this costs no write, and with the next one it becomes the only name of that content.
 */
export type Copies = ReturnType<typeof createCopies>;

/** Seconds without a change after which copies are written: one more write, but not at each change. */
const quietSeconds = 2;

/** Seconds between two good copies of a large document: each writes all of it. */
const largeSeconds = 600;

/** `onDisk`: null if nothing is to be copied now. A failed copy is made with the next change or start. */
export function createCopies<T extends object>(
  directory: string,
  kind: DocumentKind<T>,
  onDisk: () => OnDisk<T> | null,
  { timers, uptime, wall }: StoreTime,
) {
  const path = documentPath(directory, kind.name);
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
  const newest = async (): Promise<string> => (await versionNames(directory, kind.name)).at(-1) ?? "";
  const newestValue = async ({ pieces, value }: OnDisk<T>): Promise<T | null> => {
    const file = await newest();
    // It is not read where it is the same, since it would be held beside the present value.
    if (await holds(`${directory}/${file}`, pieces())) return value;
    const found = await readForm(directory, kind, file.replace(/\.json$/, ""));
    return "value" in found ? found.value : null;
  };
  const copy = async (present: OnDisk<T>, isLast: boolean): Promise<void> => {
    last ??= kind.isNewVersion ? await newestValue(present) : null;
    const rest = writtenAt + largeSeconds - uptime();
    const isLater = !isLast && rest > 0 && ((await fileAt(good))?.size ?? 0) >= largeBytes;
    if (isLater) within(rest);
    else if (await bringUpToDate(good, present).catch(() => false)) {
      writtenAt = uptime();
      await shareGoodCopy(path, good, `${directory}/${await newest()}`);
    }
    if (kind.isNewVersion?.(last, present.value))
      await keepVersion(directory, kind.name, wall, (to) => writeVersion(isLater ? path : good, to, present));
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

/** True if it was written. Throws `storage_full` and `storage_unwritable`. */
async function bringUpToDate(good: string, { pieces }: OnDisk<object>): Promise<boolean> {
  if (await holds(good, pieces())) return false;
  await writeDurably(good, blocksOf(pieces()));
  return true;
}

/** A version that is another name of the document becomes one of the good copy: people edit documents in their place. */
async function shareGoodCopy(path: string, good: string, version: string): Promise<void> {
  const [document, newest] = await Promise.all([fileAt(path), fileAt(version)]);
  if (document?.ino !== newest?.ino || newest === null) return;
  const temporary = temporaryName(good);
  await link(good, temporary);
  await rename(temporary, version);
}

/** The file lacks the content (a full disk), or its file system has no links: then the version is a file of its own. */
async function writeVersion(from: string, to: string, { pieces }: OnDisk<object>): Promise<void> {
  if (!(await holds(from, pieces()))) return writeDurably(to, blocksOf(pieces()));
  await link(from, to).catch(() => writeDurably(to, blocksOf(pieces())));
  await syncDirectory(dirname(to));
}

const fileAt = (path: string): Promise<Stats | null> => stat(path).catch(() => null);
