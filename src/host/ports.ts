/** What the rooms ask of the host; interfaces only. `host/linux` holds the real ones. */

/** Who this host and this boot are. */
export interface HostIdentity {
  /** 128 bits in hex, the same as long as the operating system is installed. */
  readonly deviceId: string;
  /** The kernel's id of this boot. */
  readonly bootId: string;
  /** Pretty name of the operating system. */
  readonly os: string;
  readonly kernel: string;
  readonly arch: string;
  readonly hostname: string;
}

/** Seconds of CLOCK_BOOTTIME: it runs through suspension, and no step of the wall clock moves it. */
export type Uptime = () => number;

/** One entry of the system journal (systemd.journal-fields(7)), as far as logs show it. */
export interface JournalEntry {
  /** What the journal finds the entry again by. */
  readonly cursor: string;
  /** Since the epoch, by the clock of then. */
  readonly timeMilliseconds: number;
  /** Whose process wrote it, or whom systemd wrote it about; the writer cannot choose it. Null for the kernel and the like. */
  readonly unit: string | null;
  /** Systemd wrote it about the unit. */
  readonly isFromSystemd: boolean;
  readonly identifier: string | null;
  /** 0 (emerg) to 7 (debug). */
  readonly severity: number;
  readonly pid: number | null;
  readonly message: string;
}

export interface JournalQuery {
  /** Names of units, `*` for any part; none means the whole journal. */
  readonly units: readonly string[];
  /** Since the epoch; not together with `behind`. */
  readonly sinceMilliseconds?: number | undefined;
  readonly untilMilliseconds?: number | undefined;
  /** Entries of this severity and graver ones: 0 to 7. */
  readonly leastSeverity?: number | undefined;
  /** The cursor of the entry that those wanted lie behind, in the direction asked for. */
  readonly behind?: string | undefined;
  readonly order: "newest-first" | "oldest-first";
}

/**
 * How a reading of the journal ended. `whole`: there is no more; `stopped`: the visitor had enough; `bounded`: it took
 * too long or was too much, and there may be more; `unreadable`: there is no journal, or not for us.
 */
export type JournalEnd =
  | { readonly kind: "whole" | "stopped" | "bounded" }
  | { readonly kind: "unreadable"; readonly detail: string };

export interface Journal {
  /** Hands over entry after entry until `visit` returns false. Never rejects. */
  read(query: JournalQuery, visit: (entry: JournalEntry) => boolean): Promise<JournalEnd>;
  /** Hands over every entry of the journal behind `behind` (absent: from the first one on), as they come; settles when that ends. */
  follow(
    behind: string | undefined,
    receive: (entry: JournalEntry) => void,
    signal: AbortSignal,
  ): Promise<void>;
}
