import { StewardError } from "../../contract/errors.ts";
import { compareFormats, type DocumentKind, documentText, isSameMajor } from "./document-kind.ts";
import { keepForm } from "./kept-files.ts";
import type { Loaded } from "./load.ts";

/** In which form a document is written; asks a release on trial to leave the former one as it is. */
export interface FormWriter<T> {
  /**
   * The text to write now; null: nothing, until the trial is over. Throws `update_busy` for a value that can only be
   * written in a form which the release before does not know, `storage_full`, `storage_unwritable`.
   */
  textOf(value: T): Promise<string | null>;
  /** `value` is on the disk. */
  written(value: T): void;
  /** The text on the disk, for a copy of it; null: the value is not there yet. */
  copyOf(value: T): string | null;
  /** True until a migrated document is on the disk in its new form. */
  isPending(): boolean;
}

/**
 * A document that was migrated is written in its new form once the bytes of the former one are kept. While a release of
 * this program is on trial, it may be the former release that reads it next:
 * - as long as nothing changes, the file stays as it is;
 * - a change is written with the version of the former form, where that has the same major version: its schema holds,
 *   and what it does not know is passed on. So nothing is lost, whichever release reads it;
 * - with another major version nothing can be written that both would read, so the change is refused, and what may be
 *   in memory alone (sessions, counts) stays there, as on a full disk.
 */
export function createFormWriter<T extends object>(
  directory: string,
  kind: DocumentKind<T>,
  { value: loaded, form, former }: Loaded<T>,
  isOnTrial: () => Promise<boolean>,
): FormWriter<T> {
  const present = { version: kind.formatVersion, newest: newer(form.newest, kind.formatVersion) };
  let pending = former;
  let isKept = false;
  let isHeld = false;
  let settled: T | null = loaded;
  return {
    isPending: () => pending !== null,
    textOf: async (value) => {
      if (pending === null) return documentText(kind, value, present);
      isHeld = await isOnTrial();
      if (isHeld && value === settled) return null;
      const { version } = pending;
      if (isHeld && !isSameMajor(version, kind.formatVersion)) throw onTrial(kind.name);
      if (!isKept) await keepForm(directory, kind.name, pending);
      isKept = true;
      if (isHeld) return documentText(kind, value, { ...present, version });
      return documentText(kind, value, value === loaded ? { ...present, unchangedSince: version } : present);
    },
    written: (value) => {
      settled = value;
      if (!isHeld) pending = null;
    },
    copyOf: (value) => {
      if (pending === null) return documentText(kind, value, present);
      return isKept && value === settled && isSameMajor(pending.version, kind.formatVersion)
        ? documentText(kind, value, { ...present, version: pending.version })
        : null;
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
