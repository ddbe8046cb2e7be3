import { StewardError } from "../../contract/errors.ts";

/** `backup_unusable`: the fault continues a sentence whose subject is the backup. */
export function unusableBackup(fault: string, cause?: unknown): StewardError {
  const text = `The backup ${fault}. Nothing was changed. Use another copy of it, or another backup.`;
  return new StewardError("backup_unusable", text, { cause });
}
