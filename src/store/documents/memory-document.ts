import { StewardError } from "../../contract/errors.ts";
import type { OpenedDocument, OpenOptions } from "./document.ts";
import { type DocumentKind, documentPieces } from "./document-kind.ts";
import { loadDocument } from "./load.ts";

/** Reads a document without lock and write: notes stay in memory, updates are refused. Throws `state_damaged`. */
export async function readDocument<T extends object>(
  directory: string,
  kind: DocumentKind<T>,
  { isFirstStart, found }: Pick<OpenOptions, "isFirstStart" | "found">,
): Promise<OpenedDocument<T>> {
  const { value, form, finding } = await loadDocument(directory, kind, isFirstStart);
  if (finding !== null) await found?.(finding);
  const document = createMemoryDocument(kind.name, value);
  const textOf = (present: T) => ({ [Symbol.iterator]: () => documentPieces(kind, present, form) });
  return { ...document, text: () => textOf(document.read()) };
}

export function createMemoryDocument<T>(name: string, value: T): Omit<OpenedDocument<T>, "text"> {
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
    trouble: () => null,
    failure: () => null,
  };
}
