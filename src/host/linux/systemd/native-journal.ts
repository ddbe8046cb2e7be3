import { type ClockAddon, openClockAddon } from "../clock/clock-addon.ts";

/** Writes entries with fields of their own, which lines of standard error cannot have. */
export interface NativeJournal {
  /** Whether journald has the entry. Names are capitals, digits and underscores; of values every byte is kept. */
  send(fields: Readonly<Record<string, string>>): boolean;
}

export interface NativeJournalOptions {
  /** Absolute path of clock-steering.node. */
  readonly addon: string;
  readonly socket?: string | undefined;
}

/** Where journald listens (systemd.journal-fields(7); https://systemd.io/JOURNAL_NATIVE_PROTOCOL). */
const usualSocket = "/run/systemd/journal/socket";

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
        // There is none, or it is busy: its stream is left, where each line waits.
        return false;
      }
    },
  };
}

/** A field a line; a value with a line feed in it goes behind its length. */
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
