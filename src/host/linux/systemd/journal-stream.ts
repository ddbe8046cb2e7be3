import { fstatSync } from "node:fs";

/**
 * Whether what is written to this descriptor goes to the journal. `journalStream` is systemd's JOURNAL_STREAM,
 * `device:inode`; a process further down may have inherited it with another standard error (systemd.exec(5)).
 */
export function isJournalStream(journalStream: string | undefined, descriptor: number): boolean {
  if (journalStream === undefined) return false;
  const { dev, ino } = fstatSync(descriptor);
  return journalStream === `${dev}:${ino}`;
}
