import { StewardError } from "../../contract/errors.ts";
import { writeDurably } from "../files/durable-file.ts";
import type { Reserve } from "../files/reserve.ts";
import type { StoreTime } from "../files/store-time.ts";
import { blocksOf } from "./document-bytes.ts";
import { type DocumentKind, documentPath, mostDocumentBytes } from "./document-kind.ts";
import { createFormWriter } from "./form-writer.ts";
import { setAside } from "./kept-files.ts";
import type { Loaded } from "./load.ts";

export type DocumentFile<T extends object> = ReturnType<typeof createDocumentFile<T>>;

interface DocumentFileOptions<T> {
  reserve: Reserve;
  /** If its file could not be used, it is set aside before the first write. */
  loaded: Loaded<T>;
  isOnTrial?: (() => Promise<boolean>) | undefined;
  /** The reason why this file must not be written first; null: it may be. */
  blocker?: (() => StewardError | null) | undefined;
  time?: StoreTime | undefined;
}

export function createDocumentFile<T extends object>(
  directory: string,
  kind: DocumentKind<T>,
  { reserve, blocker, loaded, isOnTrial = async () => false, time }: DocumentFileOptions<T>,
) {
  const path = documentPath(directory, kind.name);
  const form = createFormWriter(directory, kind, loaded, isOnTrial);
  let isInTheWay = loaded.isFileInTheWay;
  let hasFailed = false;
  const write = async (value: T): Promise<void> => {
    const refusal = blocker?.();
    if (refusal) throw refusal;
    const pieces = await form.piecesOf(value);
    if (pieces === null) return;
    if (isInTheWay) await setAside(directory, kind.name, time?.wall);
    isInTheWay = false;
    await writeDurably(path, bounded(kind.name, blocksOf(pieces)));
    form.written(value);
  };
  return {
    /** One durable write; on a full disk the reserve makes room once. Returns the failure instead of throwing it. */
    put: async (value: T): Promise<StewardError | null> => {
      try {
        await write(value).catch(async (error) => {
          const isFull = error instanceof StewardError && error.code === "storage_full";
          if (!isFull || !(await reserve.release())) throw error;
          await write(value);
        });
        if (hasFailed || reserve.isGivenUp()) void reserve.refill().catch(() => undefined);
        hasFailed = false;
        return null;
      } catch (error) {
        if (!(error instanceof StewardError)) throw error;
        hasFailed = true;
        return error;
      }
    },
    /** Null: the last write failed, or it is not to be copied now. */
    onDisk: () => (hasFailed ? null : form.onDisk()),
    textOf: form.textOf,
    isPending: form.isPending,
  };
}

/** Throws `storage_unwritable` where no start would read all of it. */
function* bounded(name: string, blocks: Iterable<Buffer>): Iterable<Buffer> {
  let length = 0;
  for (const block of blocks) {
    length += block.length;
    if (length > mostDocumentBytes) throw tooLarge(name);
    yield block;
  }
}

function tooLarge(name: string): StewardError {
  const most = `${mostDocumentBytes / 1024 / 1024} MiB`;
  return new StewardError(
    "storage_unwritable",
    `${name}.json would be larger than ${most}, which no start would read, and was not changed. Remove entries of it that are no longer needed.`,
  );
}
