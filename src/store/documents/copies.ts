import type { StoreTime } from "../files/store-time.ts";
import type { DocumentKind } from "./document-kind.ts";
import type { OnDisk } from "./form-writer.ts";
import { bringUpToDate } from "./good-copy.ts";
import { createVersions } from "./versions.ts";

/** The copies of a document that are made in the background: the last good one, and the last versions. */
export type Copies = ReturnType<typeof createCopies>;

/** Seconds without a change after which copies are written: one more write, but not at each change. */
const quietSeconds = 2;

export interface CopiesOptions<T> {
  /** Null: the document is not to be copied now. */
  onDisk: () => OnDisk<T> | null;
  time: StoreTime;
}

/** A copy that cannot be made endangers nothing now; it is made with the next change or start. */
export function createCopies<T extends object>(
  directory: string,
  kind: DocumentKind<T>,
  { onDisk, time }: CopiesOptions<T>,
) {
  let takeBack = (): void => undefined;
  const versions = createVersions(directory, kind, time.wall);
  let making = Promise.resolve();
  /** One after the other: two at once would keep one version twice. */
  const make = (isLast = false): Promise<void> => {
    making = making.then(async () => {
      const present = onDisk();
      if (present === null) return;
      const { pieces } = present;
      await versions.begin(present).catch(() => undefined);
      await bringUpToDate(directory, kind.name, { pieces, isFolded: isLast }).catch(() => undefined);
      await versions.keep(present).catch(() => undefined);
    });
    return making;
  };
  return {
    /**
     * Brings them up to date when the document has been unchanged for a while. After a start too: a good copy may be
     * damaged, or old since the last process was killed, and the next damage would bring the past back.
     */
    soon: (): void => {
      takeBack();
      takeBack = time.timers.after(quietSeconds, () => void make());
    },
    close: async (): Promise<void> => {
      takeBack();
      await make(true);
    },
  };
}
