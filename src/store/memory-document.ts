import { StewardError } from "../errors.ts";
import type { OpenedDocument } from "./document.ts";
import { type DocumentKind, loadDocument } from "./load.ts";

/**
 * A document as it lies on the disk, without a lock and without a write: notes stay in memory, and updates are refused.
 * Throws `state_damaged`.
 */
export function readDocument<T extends object>(
  directory: string,
  kind: DocumentKind<T>,
  { isFirstStart }: { isFirstStart: boolean },
): OpenedDocument<T> {
  const { value, damage } = loadDocument(directory, kind, isFirstStart);
  return createMemoryDocument(kind.name, value, damage);
}

/** A document in memory alone. */
export function createMemoryDocument<T>(
  name: string,
  value: T,
  trouble: string | null = null,
): OpenedDocument<T> {
  let present = value;
  return {
    name,
    read: () => present,
    update: async () => {
      throw new StewardError("internal_error", `${name}.json was opened for reading and cannot be changed.`);
    },
    note: (change) => {
      present = change(present);
    },
    save: async () => undefined,
    close: async () => undefined,
    trouble: () => trouble,
    failure: () => null,
  };
}
