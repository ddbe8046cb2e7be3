import { writeDurably } from "../files/durable-file.ts";
import { readRegularSync } from "../files/regular-file.ts";
import type { StoreTime } from "../files/store-time.ts";
import { type DocumentKind, documentPath, goodCopyName, mostDocumentBytes } from "./document-kind.ts";
import { keepVersion, versionNames } from "./kept-files.ts";
import { readForm } from "./read-form.ts";

/** The copies of a document that are made in the background: the last good one, and the last versions. */
export interface Copies {
  /** Checks after a start which copies are missing or out of date. */
  begin(): void;
  /** Makes them when the document has been unchanged for a while. */
  soon(): void;
  close(): Promise<void>;
}

/** Seconds without a change after which copies are written: one more write, but not at each change. */
const quietSeconds = 2;

export interface CopiesOptions<T> {
  read: () => T;
  /** Null if the value is not to be on the disk yet. */
  textOf: (value: T) => string | null;
  time: StoreTime;
}

/** A copy that cannot be made endangers nothing now; it is made with the next change or start. */
export function createCopies<T extends object>(
  directory: string,
  kind: DocumentKind<T>,
  { read, textOf, time }: CopiesOptions<T>,
): Copies {
  const goodPath = documentPath(directory, goodCopyName(kind.name));
  let takeBack = (): void => undefined;
  let lastVersion: T | null | undefined;
  const keep = async (value: T, text: string): Promise<void> => {
    if (!kind.isNewVersion) return;
    lastVersion ??= await newestVersion(directory, kind);
    if (!kind.isNewVersion(lastVersion, value)) return;
    await keepVersion(directory, kind.name, text, time.wall);
    lastVersion = value;
  };
  const goodText = (): string | null => {
    try {
      return readRegularSync(goodPath, mostDocumentBytes).toString("utf8");
    } catch {
      return null;
    }
  };
  let making = Promise.resolve();
  /** One after the other: two at once would keep one version twice. */
  const make = (isGoodDue = true): Promise<void> => {
    making = making.then(async () => {
      const present = read();
      const text = textOf(present);
      if (text === null) return;
      // A file of its own: a hard link would share the damage.
      if (isGoodDue) await writeDurably(goodPath, text).catch(() => undefined);
      await keep(present, text).catch(() => undefined);
    });
    return making;
  };
  const soon = (work: () => Promise<void> = make): void => {
    takeBack();
    takeBack = time.timers.after(quietSeconds, () => void work());
  };
  return {
    begin: () => {
      // The copy is damaged, or old since the last process was killed: the next damage would bring the past back.
      const text = textOf(read());
      if (text !== null && goodText() !== text) soon();
      else if (kind.isNewVersion) soon(() => make(false));
    },
    soon: () => soon(),
    close: async () => {
      takeBack();
      await make();
    },
  };
}

async function newestVersion<T extends object>(directory: string, kind: DocumentKind<T>): Promise<T | null> {
  const newest = (await versionNames(directory, kind.name)).at(-1);
  const found = newest === undefined ? null : await readForm(directory, kind, newest.replace(/\.json$/, ""));
  return found !== null && "value" in found ? found.value : null;
}
