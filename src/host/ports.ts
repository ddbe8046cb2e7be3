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
  /** The line as JSON, where the agent has sent it along. The program that wrote the entry could. */
  readonly ownLine: string | null;
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

/** Two clocks at one moment. */
export interface ClockReading {
  /** Seconds since 1970 of the wall clock; as a double its quantum is 0.24 µs. */
  readonly wallSeconds: number;
  /** Seconds of CLOCK_BOOTTIME: no step moves it; frequency and slew do; it runs through suspension. */
  readonly monotonicSeconds: number;
}

/** A leap second at the end of the present day (UTC). */
export type Leap = "none" | "insert" | "delete";

/** What the kernel says of its clock (adjtimex(2)). */
export interface KernelClock {
  /** STA_UNSYNC is not set. */
  readonly isSynchronised: boolean;
  readonly maxErrorSeconds: number;
  readonly estErrorSeconds: number;
  /** Positive: the kernel makes the clock run faster than its oscillator says. */
  readonly frequencyPpm: number;
  /** What is left of the last slew; positive: still to be added. */
  readonly slewRemainingSeconds: number;
  readonly leap: Leap;
}

/** How good the clock is, as the kernel tells everybody on the host. */
export interface ClockQuality {
  readonly isSynchronised: boolean;
  readonly maxErrorSeconds: number;
  readonly estErrorSeconds: number;
  readonly leap: Leap;
}

/** Why a driver never steers: the program was not told to, its addon is not there, or it has no CAP_SYS_TIME. */
export type SteeringHindrance = "not_asked_to" | "no_addon" | "no_capability";

/**
 * The host's clock. What steers throws a StewardError `forbidden` where there is a hindrance, and the system's error
 * where the kernel refuses. Positive seconds move the clock forward.
 */
export interface ClockDriver {
  readonly hindrance: SteeringHindrance | null;
  read(): ClockReading;
  /** null: it cannot be read. */
  kernel(): KernelClock | null;
  /** Steps the clock relative to itself (ADJ_SETOFFSET); what is left of a slew is dropped. */
  step(seconds: number): void;
  /** Adds so many seconds at 500 ppm (ADJ_OFFSET_SINGLESHOT) in the place of what is left of the last slew. */
  slew(seconds: number): void;
  /** −500 to 500 ppm; gives back what the kernel has really set. */
  setFrequency(ppm: number): number;
  setQuality(quality: ClockQuality): void;
}

/** Where a UDP packet goes: a literal address. */
export interface DatagramAddress {
  readonly address: string;
  readonly port: number;
}

/** A UDP socket connected to one address: the kernel drops what comes from anywhere else. */
export interface DatagramConnection {
  /** At once, so that the moment of sending is the caller's. Failures come through `onFailure`. */
  send(packet: Uint8Array): void;
  close(): void;
}

export interface DatagramHandlers {
  /**
   * `ageSeconds`: how long ago the kernel took the packet in, 0 where that is not known. Told by the wall clock: a step
   * of it since then is in there too.
   */
  onPacket: (packet: Uint8Array, ageSeconds: number) => void;
  /** An ICMP error, a route that is not there; the error's code, such as ECONNREFUSED. */
  onFailure: (code: string) => void;
}

export interface Datagrams {
  /** Rejects with the system's error where there is no way to the address. */
  connect(address: DatagramAddress, handlers: DatagramHandlers): Promise<DatagramConnection>;
}

/** Addresses of a host name, best first; rejects when there are none. A literal address is its own. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

/** A timer that can be taken back. */
export interface Timers {
  /** Calls once after so many seconds of monotonic time; the result takes it back. Keeps no process alive. */
  after(seconds: number, call: () => void): () => void;
}

/** A TCP connection as this end of it sees it; literal addresses. */
export interface ConnectionEnds {
  readonly localAddress: string;
  readonly localPort: number;
  readonly remoteAddress: string;
  readonly remotePort: number;
}

/**
 * The id of the user whose process is at the other end of a connection over loopback; null where the host cannot tell.
 * Never rejects.
 */
export type UserOfConnection = (ends: ConnectionEnds) => Promise<number | null>;

export interface CommandResult {
  /** null: killed, because it took too long. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program without a shell. Rejects only where it cannot be started, and when the signal kills it. */
export type RunCommand = (
  program: string,
  args: readonly string[],
  limits: { timeoutMilliseconds: number; signal?: AbortSignal },
) => Promise<CommandResult>;

/** Programs that discipline a clock. */
export type TimeDaemon = "chronyd" | "systemd-timesyncd" | "ntpd" | "openntpd" | "ntpd-rs";

/** The units of the host, as far as the clock concerns them. */
export interface TimeServices {
  /** The first that is running now; null: none. No fork: it is asked often. */
  activeDaemon(): Promise<TimeDaemon | null>;
  /** Starts a oneshot unit and waits for its end. Throws `forbidden` where that is not permitted. */
  start(unit: string): Promise<void>;
  restart(unit: string): Promise<void>;
}

/** What a transfer may take. Beyond it the transfer ends with `update_too_slow`. */
export interface TransferLimits {
  /** Seconds until the answer's head is there, name resolution, TLS and redirects included. */
  readonly headSeconds: number;
  /** Bytes a second that must come on an average, looked at after each `rateWindowSeconds`. */
  readonly minimumBytesPerSecond: number;
  readonly rateWindowSeconds: number;
}

export interface TransferRequest {
  /** Lower-case names; `accept-encoding: identity` is always sent. */
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: TransferLimits;
  /** Ends the transfer, head or body, with the signal's reason. */
  readonly signal: AbortSignal;
}

/** What a server, or a directory, answered. */
export interface Transfer {
  /** 200, 206, 304, 404, …; of a directory 200, 206 or 404. Redirects have been followed or refused. */
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /**
   * As sent, never decoded. Read to its end, or left by `break` or `close`, which ends the connection. A piece is there
   * until the next one is asked for: its memory is used again.
   */
  readonly body: AsyncIterable<Uint8Array>;
  close(): void;
}

/**
 * Reads what lies under an address (`https:`, `http:`, `file:`). Throws `update_server_unreachable` (no name, no
 * connection, no TLS, a broken transfer), `update_server_refused` (a redirect to another origin, too many of them, an
 * address or an encoding that is not allowed) and `update_too_slow`; `body` throws the same.
 */
export interface Transfers {
  open(url: string, request: TransferRequest): Promise<Transfer>;
}

/** Bytes that a file system has left for this process. */
export type FreeSpace = (directory: string) => Promise<number>;
