import { type ClockAddon, openClockAddon } from "../clock/clock-addon.ts";

/** Writes entries with additional fields, which lines of standard error cannot have. */
export interface NativeJournal {
  /** Returns whether journald accepted the entry. Names are capitals, digits and underscores; values may hold any bytes. */
  send(fields: Readonly<Record<string, string>>): boolean;
}

export interface NativeJournalOptions {
  /** Absolute path of clock-steering.node. */
  readonly addon: string;
  readonly socket?: string | undefined;
}

/** The socket of journald (https://systemd.io/JOURNAL_NATIVE_PROTOCOL). */
const usualSocket = "/run/systemd/journal/socket";

/** The same of the namespace that audit lines go to (systemd-journald.service(8), "Journal namespaces"). */
export const auditJournalSocket = "/run/systemd/journal.steward/socket";

export function openNativeJournal({ addon, socket = usualSocket }: NativeJournalOptions): NativeJournal {
  let loaded: ClockAddon | null | undefined;
  return {
    send: (fields) => {
      loaded ??= openClockAddon(addon);
      if (loaded === null) return false;
      try {
        loaded.sendLocal(socket, encoded(fields));
        return true;
      } catch {
        // journald is absent or busy: the caller writes to its stream instead, which blocks until journald reads.
        return false;
      }
    },
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
