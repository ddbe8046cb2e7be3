import { readFile } from "node:fs/promises";
import { StewardError } from "../errors.ts";
import { writeDurably } from "./durable-file.ts";
import { type DocumentKind, documentPath, documentText, goodCopyName, setAside } from "./load.ts";
import type { Reserve } from "./reserve.ts";

/** Where a document lies on the disk. */
export interface DocumentFile<T> {
  /** One durable write; a full disk is relieved by the reserve once. Returns the failure instead of throwing it. */
  put(value: T): Promise<StewardError | null>;
  /** The good copy, a file of its own: a hard link would share the damage. Failing to make it endangers nothing now. */
  putGoodCopy(value: T): Promise<void>;
  /** Whether the good copy is of this value. */
  isCopied(value: T): Promise<boolean>;
}

export interface DocumentFileOptions {
  reserve: Reserve;
  /** The file that is there could not be used. It is kept: set aside before the first write, whenever that is possible. */
  isFileInTheWay: boolean;
  /** Why this file must not be the first one; null: it may be written. */
  hindrance?: (() => StewardError | null) | undefined;
}

export function createDocumentFile<T extends object>(
  directory: string,
  kind: DocumentKind<T>,
  { reserve, hindrance, ...options }: DocumentFileOptions,
): DocumentFile<T> {
  const path = documentPath(directory, kind.name);
  const goodPath = documentPath(directory, goodCopyName(kind.name));
  let isInTheWay = options.isFileInTheWay;
  let hasFailed = false;
  const write = async (text: string): Promise<void> => {
    const refusal = hindrance?.();
    if (refusal) throw refusal;
    if (isInTheWay) await setAside(directory, kind.name);
    isInTheWay = false;
    await writeDurably(path, text);
  };
  return {
    put: async (value) => {
      const text = documentText(kind, value);
      try {
        await write(text).catch(async (error) => {
          const isFull = error instanceof StewardError && error.code === "storage_full";
          if (!isFull || !(await reserve.release())) throw error;
          await write(text);
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
    isCopied: async (value) => {
      const good = await readFile(goodPath, "utf8").catch(() => null);
      return good === documentText(kind, value);
    },
    putGoodCopy: async (value) => {
      if (hasFailed) return;
      await writeDurably(goodPath, documentText(kind, value)).catch(() => undefined);
    },
  };
}
