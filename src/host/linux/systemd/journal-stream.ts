import { fstatSync } from "node:fs";

/**
 * True if this descriptor is connected to the journal. `journalStream` is systemd's JOURNAL_STREAM, `device:inode`; a
 * child process may have inherited the variable with another standard error (systemd.exec(5)).
 */
export function isJournalStream(journalStream: string | undefined, descriptor: number): boolean {
  if (journalStream === undefined) return false;
  const { dev, ino } = fstatSync(descriptor);
  return journalStream === `${dev}:${ino}`;
}
