/** Interfaces to the host for the rooms. `host/linux` implements them. */
import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import type { SecureContext, TLSSocket } from "node:tls";
import type { TransferFailure } from "./transfer-failure.ts";

export interface HostIdentity {
  /** 128 bits in hex, the same until the operating system is installed again. */
  readonly deviceId: string;
  /** False: machine-id(5) cannot be read or is not initialised, and `deviceId` is only for this boot. */
  readonly isLasting: boolean;
  readonly bootId: string;
  /** Pretty name of the operating system. */
  readonly os: string;
  readonly kernel: string;
  readonly arch: string;
  /** Without a domain; it changes after a change. */
  readonly hostname: string;
}

/** Seconds of CLOCK_BOOTTIME: it counts suspension, and steps of the wall clock do not change it. */
export type Uptime = () => number;

/** The members of a journal entry that logs show (systemd.journal-fields(7)). */
export interface JournalEntry {
  /** The position of the entry in the journal. */
  readonly cursor: string;
  /** Since the epoch, by the clock when it was written. */
  readonly timeMilliseconds: number;
  /** The unit whose process wrote it, or that systemd wrote it about; the writer cannot choose it. Null for the kernel. */
  readonly unit: string | null;
  /** systemd wrote it about the unit. */
  readonly isFromSystemd: boolean;
  readonly identifier: string | null;
  /** 0 (emerg) to 7 (debug). */
  readonly severity: number;
  readonly pid: number | null;
  readonly message: string;
  /** The line as JSON, if the agent sent it along. Any program that writes an entry could. */
  readonly ownLine: string | null;
  /** The agent sent it as a copy of an audit line. Any program that writes an entry could. */
  readonly isCopy: boolean;
}

export interface JournalQuery {
  /** Names of units, `*` for any part; none means the whole journal. */
  readonly units: readonly string[];
  /** Since the epoch; not together with `behind`. */
  readonly sinceMilliseconds?: number | undefined;
  readonly untilMilliseconds?: number | undefined;
  /** Entries of this severity and more severe ones: 0 to 7. */
  readonly leastSeverity?: number | undefined;
  /** The cursor after which reading begins, in the order asked for. */
  readonly behind?: string | undefined;
  readonly order: "newest-first" | "oldest-first";
}

/** `whole`: at its end; `stopped`: by the visitor; `bounded`: by time or size; `unreadable`: no journal, or no right. */
export type JournalEnd =
  | { readonly kind: "whole" | "stopped" | "bounded" }
  | { readonly kind: "unreadable"; readonly detail: string };

export interface Journal {
  /** Passes each entry to `visit` until it returns false. Never rejects. */
  read(query: JournalQuery, visit: (entry: JournalEntry) => boolean): Promise<JournalEnd>;
  /** Passes every entry after `behind` (absent: from the first) to `receive` as it comes; settles when reading ends. */
  follow(
    behind: string | undefined,
    receive: (entry: JournalEntry) => void,
    signal: AbortSignal,
  ): Promise<void>;
}

export interface ClockReading {
  /** Seconds since 1970 of the wall clock; as a double its quantum is 0.24 µs. */
  readonly wallSeconds: number;
  /** Seconds of CLOCK_BOOTTIME: steps do not change it, frequency and slew do; it counts suspension. */
  readonly monotonicSeconds: number;
}

/** A leap second at the end of the present day (UTC). */
export type Leap = "none" | "insert" | "delete";

/** The kernel's state of its clock (adjtimex(2)). */
export interface KernelClock extends ClockQuality {
  /** Positive: the kernel makes the clock run faster than its oscillator. */
  readonly frequencyPpm: number;
  /** The rest of the last slew; positive: still to be added. */
  readonly slewRemainingSeconds: number;
}

/** The quality of the clock, as the kernel reports it to every program on the host. */
export interface ClockQuality {
  /** STA_UNSYNC is not set. */
  readonly isSynchronised: boolean;
  readonly maxErrorSeconds: number;
  readonly estErrorSeconds: number;
  readonly leap: Leap;
}

/**
 * The reason why a driver never steers: the program was not asked to, its addon is missing, or it lacks CAP_SYS_TIME.
 */
export type SteeringBlocker = "not_asked_to" | "no_addon" | "no_capability";

/** The host's clock. Steering throws `forbidden` with a blocker, and the system's error. Positive seconds: forward. */
export interface ClockDriver {
  readonly blocker: SteeringBlocker | null;
  read(): ClockReading;
  /** null: not readable. */
  kernel(): KernelClock | null;
  /** Steps the clock relative to itself (ADJ_SETOFFSET); the rest of a slew is dropped. */
  step(seconds: number): void;
  /** Adds so many seconds at 500 ppm (ADJ_OFFSET_SINGLESHOT), replacing the rest of the last slew. */
  slew(seconds: number): void;
  /** −500 to 500 ppm; returns what the kernel has set. */
  setFrequency(ppm: number): number;
  setQuality(quality: ClockQuality): void;
}

/** The destination of a UDP packet: a literal address. */
export interface DatagramAddress {
  readonly address: string;
  readonly port: number;
}

/** A UDP socket connected to one address: the kernel drops packets from any other. */
export interface DatagramConnection {
  /** Sends at once, so that the caller knows the time of sending. Failures come through `onFailure`. */
  send(packet: Uint8Array): void;
  close(): void;
}

export interface DatagramHandlers {
  /** `ageSeconds`: since the kernel received it, 0 if unknown; by the wall clock, so a step since then is in it. */
  onPacket: (packet: Uint8Array, ageSeconds: number) => void;
  /** An ICMP error or a missing route; the code of the error, such as ECONNREFUSED. */
  onFailure: (code: string) => void;
}

export interface Datagrams {
  /** Rejects with the system's error if there is no route to the address. */
  connect(address: DatagramAddress, handlers: DatagramHandlers): Promise<DatagramConnection>;
}

/** The addresses of a host name, best first; rejects if there are none. A literal address resolves to itself. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

/** Bounds the kernel's bytes for a TCP server's connections: not taken, and not read. Else does nothing. */
export type BoundBuffers = (server: object) => void;

export interface Timers {
  /** Calls once after so many seconds of monotonic time; the returned function cancels it. Keeps no process alive. */
  after(seconds: number, call: () => void): () => void;
}

/** The two ends of a TCP connection, seen from this one; literal addresses. */
export interface ConnectionEnds {
  readonly localAddress: string;
  readonly localPort: number;
  readonly remoteAddress: string;
  readonly remotePort: number;
}

/** The user whose process has the other end of a loopback connection; null: unknown. Never rejects. */
export type UserOfConnection = (ends: ConnectionEnds) => Promise<number | null>;

/** True if the other end's kernel has all bytes and the end of an ended connection; false if unknown. Never rejects. */
export type IsAcknowledged = (socket: Pick<Socket, "localPort" | "remotePort">) => Promise<boolean>;

export interface CommandResult {
  /** null: killed after the timeout. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program without a shell. Rejects only if it cannot be started, or when the signal kills it. */
export type RunCommand = (
  program: string,
  args: readonly string[],
  limits: { timeoutMilliseconds: number; signal?: AbortSignal },
) => Promise<CommandResult>;

/** A program that makes one stream of another, as it comes. */
export interface Filter {
  /** Its end ends the input. A program that takes no more destroys it; that is no error here. */
  readonly input: Writable;
  readonly output: Readable;
  /** Settles when it has ended; `status` null: by a signal, or it could not be started. `complaint`: of standard error. */
  readonly ended: Promise<{ readonly status: number | null; readonly complaint: string }>;
  /** Kills it, if it still runs. */
  stop(): void;
}

/** Starts a program without a shell. Never throws. */
export type StartFilter = (program: string, args: readonly string[]) => Filter;

export type TimeDaemon = "chronyd" | "systemd-timesyncd" | "ntpd" | "openntpd" | "ntpd-rs";

/** The units of the host that matter for the clock. */
export interface TimeServices {
  /** The first daemon that runs now; null: none. Starts no process, because it is asked often. */
  activeDaemon(): Promise<TimeDaemon | null>;
}

/** The orders of the agent to root: the whole vocabulary of the root helper (src/programs/root-helper). */
export type RootOrder =
  | { readonly word: "install"; readonly id: string }
  | { readonly word: "rollback"; readonly kind: "rules" | "binary" }
  | { readonly word: "chrony"; readonly verb: "reselect" | "burst" | "makestep" | "authdata" }
  | { readonly word: "time-zone"; readonly zone: string }
  | { readonly word: "host-name"; readonly name: string }
  | { readonly word: "restart-timesyncd" | "reboot" | "power-off" | "enable-https" };

export interface RootOrderLimits {
  /** 30 s by default. */
  readonly timeoutMilliseconds?: number;
  /** Ends the waiting with its reason; root completes the order. */
  readonly signal?: AbortSignal;
}

/**
 * Asks root. Settles when the order is done: a reboot and a power-off when they are begun. Throws
 * `forbidden` (this host has no root helper, or one that does not know the order), `rate_limited` with the seconds to
 * wait, `not_found` (no such unit, no such time zone), `storage_full`, `storage_unwritable`, `internal_error`.
 */
export interface RootHelper {
  ask(order: RootOrder, limits?: RootOrderLimits): Promise<void>;
  /** False: this agent is to have none, as in a trial. */
  readonly mayBeAsked: boolean;
  /** The reason why no order can reach it, and the line to type; null: it listens, or this agent is to have none. */
  absence(): string | null;
}

/** The process at the other end of a unix socket's connection, and its user when it connected. */
export type Peer = { readonly pid: number; readonly uid: number };

/** Null: it cannot be known. */
export type ReadPeer = (socket: object) => Peer | null;

/**
 * The systemd unit that the process belongs to, by the root helper, which sees processes of all users. Throws `not_found`
 * where the process has ended or belongs to none, and as `RootHelper.ask`.
 */
export type UnitOf = (peer: Peer) => Promise<string>;

/** Limits of a transfer. Beyond them it ends with a TransferFailure of the kind `too_slow`. */
export interface TransferLimits {
  /** Seconds until the head of the answer, including name resolution, TLS and redirects. */
  readonly headSeconds: number;
  /** Average bytes a second that must arrive, checked after each `rateWindowSeconds`. */
  readonly minimumBytesPerSecond: number;
  readonly rateWindowSeconds: number;
}

export interface TransferRequest {
  /** Lower-case names; `accept-encoding` is sent beside them. */
  readonly headers: Readonly<Record<string, string>>;
  /** Asks for a body that is compressed, as its header `content-encoding` then says; some servers do that unasked. */
  readonly acceptsGzip?: true;
  /** The same only for the origin of the address: a redirect to another one leaves them out. */
  readonly originHeaders?: Readonly<Record<string, string>>;
  /** The body of a POST, text as UTF-8; absent: a GET. */
  readonly post?: string | Uint8Array | undefined;
  readonly limits: TransferLimits;
  /** Ends the transfer, head or body, with the signal's reason. */
  readonly signal: AbortSignal;
}

/** The answer of a server, or of a directory. */
export interface Transfer {
  /** The source in an error: `updates.example`, and the proxy if there is one; a path. */
  readonly where: string;
  /** 200, 206, 304, 404, …; 200, 206, 404 or 416 of a directory. Redirects were followed or refused. */
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** As sent, never decoded; read to its end, or left by `break` or `close`. Pieces are valid until the next is asked for. */
  readonly body: AsyncIterable<Uint8Array>;
  close(): void;
}

/**
 * Reads from an address (`https:`, `http:`, `file:`). Throws TransferFailure, as `body` does, or the signal's reason.
 */
export interface Transfers {
  open(url: string, request: TransferRequest): Promise<Transfer>;
}

export interface ServerPlace {
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Connections to servers, for protocols that begin without TLS. */
export interface ServerConnections {
  /**
   * An open connection; an abort destroys it at any time. Rejects with TransferFailure, or with the signal's reason.
   */
  open(server: ServerPlace, signal: AbortSignal): Promise<Socket>;
  /** The same with TLS, whose certificate is verified. */
  secure(server: ServerPlace, signal: AbortSignal): Promise<TLSSocket>;
  /** The authorities of servers' certificates; undefined: the runtime's. Throws TransferFailure (`ca_file`). */
  authorities(): Promise<SecureContext | undefined>;
  /** The failure that an error of such a connection is. `isSent`: after a message was sent, wholly or in part. */
  failure(server: ServerPlace, cause: unknown, isSent?: boolean): TransferFailure;
}

/** Free bytes of a file system for this process. */
export type FreeSpace = (directory: string) => Promise<number>;
