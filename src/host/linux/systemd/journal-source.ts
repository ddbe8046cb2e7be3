import type { JournalEnd, JournalQuery } from "../../ports.ts";

/** A question to the journal: existing entries, or those that come after `behind` (absent: after none). */
export type JournalQuestion =
  | { readonly kind: "read"; readonly query: JournalQuery }
  | { readonly kind: "follow"; readonly behind: string | undefined };

/** Passes on lines of `journalctl --output=json` until it ends, or `signal`. Never rejects. `bounded`: cut off. */
export type JournalSource = (
  question: JournalQuestion,
  receive: (piece: string) => void,
  signal: AbortSignal,
) => Promise<JournalEnd>;

/** systemd.time(7): seconds since the epoch, whatever the time zone. */
export function moment(milliseconds: number): string {
  return (milliseconds / 1_000).toFixed(3);
}
