import { fstatSync } from "node:fs";
import { type ClockAddon, openClockAddon } from "../clock/clock-addon.ts";

/** The socket of journald (https://systemd.io/JOURNAL_NATIVE_PROTOCOL). */
const usualSocket = "/run/systemd/journal/socket";

/** The same of the namespace that audit lines go to (systemd-journald.service(8), "Journal namespaces"). */
export const auditJournalSocket = "/run/systemd/journal.steward/socket";

/**
 * Writes entries with additional fields, which lines of standard error cannot have: names are capitals, digits and
 * underscores, and values may hold any bytes. Returns whether journald accepted the entry. `addon`: the absolute path of
 * clock-steering.node.
 */
export function openNativeJournal(addon: string, socket = usualSocket) {
  let loaded: ClockAddon | null | undefined;
  return (fields: Readonly<Record<string, string>>): boolean => {
    loaded ??= openClockAddon(addon);
    if (loaded === null) return false;
    try {
      loaded.sendLocal(socket, encoded(fields));
      return true;
    } catch {
      // journald is absent or busy: the caller writes to its stream instead, which blocks until journald reads.
      return false;
    }
  };
}

/** One line for each field; a value with a line feed follows its length. */
function encoded(fields: Readonly<Record<string, string>>): Buffer {
  return Buffer.concat(
    Object.entries(fields).flatMap(([name, value]) => {
      if (!value.includes("\n")) return [Buffer.from(`${name}=${value}\n`)];
      const bytes = Buffer.from(value);
      const length = Buffer.alloc(8);
      length.writeBigUInt64LE(BigInt(bytes.length));
      return [Buffer.from(`${name}\n`), length, bytes, Buffer.from("\n")];
    }),
  );
}

/**
 * True if this descriptor is connected to the journal. `journalStream` is systemd's JOURNAL_STREAM, `device:inode`; a
 * child process may have inherited the variable with another standard error (systemd.exec(5)).
 */
export function isJournalStream(journalStream: string | undefined, descriptor: number): boolean {
  if (journalStream === undefined) return false;
  const { dev, ino } = fstatSync(descriptor);
  return journalStream === `${dev}:${ino}`;
}
