import { StewardError } from "../../contract/errors.ts";
import { compareFormats, type DocumentKind, documentPieces, isSameMajor } from "./document-kind.ts";
import { keepForm } from "./kept-files.ts";
import type { Loaded } from "./load.ts";

/** A value as its file has it. */
export interface OnDisk<T> {
  readonly value: T;
  /** Its text. */
  pieces(): Iterable<string>;
}

/**
 * Writes a migrated document in its new form, after the bytes of the former one are kept. While a release of this
 * program is on trial, the former release may be the next to read it:
 * - as long as nothing changes, the file stays as it is;
 * - a change is written with the version of the former form, if that has the same major version: the document fits its
 *   schema, and unknown members are passed on. So nothing is lost, whichever release reads it;
 * - with another major version there is no form that both releases could read, so the change is refused; documents that
 *   may be only in memory (sessions, counts) stay there, as on a full disk.
 */
export function createFormWriter<T extends object>(
  directory: string,
  kind: DocumentKind<T>,
  { value: loaded, form, former, isRejoined }: Loaded<T>,
  isOnTrial: () => Promise<boolean>,
) {
  const present = { version: kind.formatVersion, newest: newer(form.newest, kind.formatVersion) };
  let pending = former;
  let isKept = false;
  let isHeld = false;
  let settled = loaded;
  return {
    /** True until a migrated document is on the disk in its new form. */
    isPending: () => pending !== null,
    /** The text of a value in the present form, whatever is on the disk; it can be read several times. */
    textOf: (value: T): Iterable<string> => ({
      [Symbol.iterator]: () => documentPieces(kind, value, present),
    }),
    /**
     * The text to write now, in pieces; null: nothing, until the trial is over. Throws `update_busy` for a value that can
     * only be written in a form which the former release does not know, `storage_full` and `storage_unwritable`.
     */
    piecesOf: async (value: T): Promise<Iterable<string> | null> => {
      if (pending === null) return documentPieces(kind, value, present);
      isHeld = await isOnTrial();
      if (isHeld && value === settled) return null;
      const { version } = pending;
      if (isHeld && !isSameMajor(version, kind.formatVersion)) throw onTrial(kind.name);
      if (!isKept) await keepForm(directory, kind.name, pending);
      isKept = true;
      if (isHeld) return documentPieces(kind, value, { ...present, version });
      return documentPieces(
        kind,
        value,
        value === loaded && !isRejoined ? { ...present, unchangedSince: version } : present,
      );
    },
    /** Call it when `value` is on the disk. */
    written: (value: T): void => {
      settled = value;
      if (!isHeld) pending = null;
    },
    /** Null: the file has no form that is to be copied. */
    onDisk: (): OnDisk<T> | null => {
      const value = settled;
      if (pending === null) return { value, pieces: () => documentPieces(kind, value, present) };
      const { version } = pending;
      if (!isKept || !isSameMajor(version, kind.formatVersion)) return null;
      return { value, pieces: () => documentPieces(kind, value, { ...present, version }) };
    },
  };
}

function onTrial(name: string): StewardError {
  return new StewardError(
    "update_busy",
    `A new release of Steward is on trial, and the one before could not read ${name}.json as it would be written now. Nothing was changed. Repeat the change when the trial is over (\`steward update status\`).`,
  );
}

function newer(one: string, other: string): string {
  return compareFormats(one, other) > 0 ? one : other;
}
