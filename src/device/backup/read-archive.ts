import { StewardError } from "../../contract/errors.ts";
import { type FoundFile, readTar } from "../../store/archives/read-tar.ts";

/** The most that a backup may hold, all files together: every document at its largest, the events, the files of root. */
const usualCaps = { bytes: 512 * 1024 * 1024, files: 2_000 };

export type ArchiveCaps = Readonly<typeof usualCaps>;

const compressed =
  "has a compressed archive in it. Encrypt the tar itself: `age -d -i KEY FILE | gunzip | age -r age1… -o NEW.age`";

/** Components of a path: an agent writes at most three. */
const mostComponents = 8;

/** The files of a backup's archive. Throws `backup_unusable` as `readTar` does, and what the source throws. */
export function readArchive(
  source: AsyncIterable<Uint8Array>,
  caps: ArchiveCaps = usualCaps,
): AsyncGenerator<FoundFile> {
  return readTar(source, { ...caps, isSafePath, compressed, unusable: unusableBackup });
}

/** `backup_unusable`: the fault continues a sentence whose subject is the backup. */
export function unusableBackup(fault: string, cause?: unknown): StewardError {
  const text = `The backup ${fault}. Nothing was changed. Use another copy of it, or another backup.`;
  return new StewardError("backup_unusable", text, { cause });
}

/** True for components of plain characters, none of them `.` or `..`, none empty. */
export function isSafePath(path: string): boolean {
  const components = path.split("/");
  const isSafe = (one: string) => /^[A-Za-z0-9._@:+ -]{1,100}$/.test(one) && one !== "." && one !== "..";
  return components.length <= mostComponents && components.every(isSafe);
}
