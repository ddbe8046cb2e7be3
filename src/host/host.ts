import type { Finding } from "../contract/types.ts";
import type { LanNaming } from "./lan-names.ts";
import type { KeyExchanges } from "./nts-ports.ts";
import type {
  BoundBuffers,
  ClockDriver,
  Datagrams,
  FreeSpace,
  HostIdentity,
  IsAcknowledged,
  Journal,
  ReadPeer,
  ResolveHost,
  RootHelper,
  RunCommand,
  ServerConnections,
  StartFilter,
  Timers,
  TimeServices,
  Transfers,
  UnitOf,
  Uptime,
  UserOfConnection,
} from "./ports.ts";
import type { Surroundings } from "./surroundings.ts";

/** The host in groups: each room gets its ports. `host/linux/open-host.ts` opens it; a test replaces any. */
export interface Host {
  readonly identity: HostIdentity;
  readonly time: HostTime;
  readonly run: RunCommand;
  readonly startFilter: StartFilter;
  readonly helper: RootHelper;
  readonly clock: HostClock;
  readonly network: {
    readonly datagrams: Datagrams;
    readonly resolve: ResolveHost;
    readonly userOfConnection: UserOfConnection;
    readonly isAcknowledged: IsAcknowledged;
    readonly boundBuffers: BoundBuffers;
    readonly readPeer: ReadPeer;
    readonly lanNames: LanNaming;
    openTransfers(options: TransferOptions): Transfers;
    openConnections(surroundings: Surroundings): ServerConnections;
    /** Loads the code for them: few devices make any. */
    openKeyExchanges(options: KeyExchangeOptions): Promise<KeyExchanges>;
    /** True if an `http:` or `https:` address names this host or its own link, judged by the address as it is written. */
    isLocalServer(server: string): boolean;
    /** True for a literal address of this device now, of its own link, or of a cloud's metadata service. */
    isLocalAddress(address: string): boolean;
  };
  readonly files: HostFiles;
  readonly systemd: {
    readonly journal: Journal;
    /** The name under which systemd runs a unit that may have others. */
    readonly unitId: (unit: string) => string;
    readonly unitOf: UnitOf;
  };
  readonly names: HostNames;
}

/** The host's time, for the whole agent. A test replaces all its parts at once: else the agent sees a step. */
export interface HostTime {
  readonly uptime: Uptime;
  /** Milliseconds since 1970 by the wall clock, right or wrong. */
  readonly wall: () => number;
  readonly timers: Timers;
  /** Reads both clocks at one moment, and steers the wall clock if it may. */
  readonly driver: ClockDriver;
}

export interface HostClock {
  readonly services: TimeServices;
  /** The battery-backed clock, rounded down to seconds; null: there is none. */
  readRealTimeClock(): Promise<Date | null>;
  /** The time servers that the network offers, as entries of `time.servers`, the most that these may have. */
  readOfferedServers(): readonly string[];
  /** The addresses that this device has beyond its links, as a text to compare: another text is another network. */
  readNetwork(): string;
}

export interface HostFiles {
  readonly freeSpace: FreeSpace;
  /** flock(2), exclusive, without waiting: true if free. Throws if the kernel gives no answer. Undefined: no addon. */
  readonly tryLock: ((descriptor: number) => boolean) | undefined;
  /** The two-factor keys, preferred first. Throws `second_factor_unavailable`, `storage_full`, `storage_unwritable`. */
  readSealKeys(places: SealKeyPlaces): Promise<Uint8Array[]>;
  /** Makes a new key in place of the agent's own at `path`; null: none was made. Throws as `readSealKeys`. */
  renewOwnSealKey(path: string): Promise<RenewedKey | null>;
  /** The installed root of trust; null: none. Throws `update_root_unusable` if it is too large or others may write it. */
  readInstalledRoot(
    path: string,
    options: TrustedOwners & { maximumBytes: number },
  ): Promise<Uint8Array | null>;
}

/** The machine's name is in its identity; the root helper changes both. */
export interface HostNames {
  /** `unknown`: it is a copy of no zone. */
  timeZone(): Promise<string>;
  /** Continues a sentence about a zone that this host cannot take; null: it can. */
  timeZoneFault(name: string): string | null;
  timeZoneTrouble(): Finding | null;
  /** Makes this process use the new host name. */
  adoptHostName(name: string): void;
  adoptTimeZone(name: string): void;
}

export interface TransferOptions extends Surroundings {
  /** Origins (`https://cdn.example`) that a redirect may lead to, besides that of the request. */
  readonly redirectOrigins?: readonly string[];
  /** Redirects followed in one transfer; null: none is, and a redirect is an answer as any other. */
  readonly redirects: number | null;
  /** Tells servers which program sends the request (RFC 9110 §10.1.5). */
  readonly userAgent?: string;
}

export interface TimeAuthorities extends TrustedOwners {
  /** PEM file with the only certificate authorities that time servers may use; undefined: the system's. */
  readonly caFile?: string | undefined;
  /** An absolute path; certificates are written there for the moment in which they are verified. */
  readonly directory: string;
}

export interface KeyExchangeOptions extends TimeAuthorities {
  /** Absolute paths of the runtime and of nts-key-exchange.js. */
  readonly node: string;
  readonly script: string;
}

export interface TrustedOwners {
  /** The one who runs this, trusted in a trial's own folders: at usual places an attacker may be that user. */
  own?: number | undefined;
  /** For root, who judges in the agent's place: files are read by it. Undefined: this process reads them for itself. */
  readonly asAgent?: AsAgent | undefined;
}

/** Does synchronous work with only the agent's rights, while this process does nothing else. */
export type AsAgent = <T>(work: () => T) => Promise<T>;

export interface RenewedKey {
  readonly former: Uint8Array;
  readonly next: Uint8Array;
  /** Retires the former key, after nothing is sealed with it any more. */
  replace(): Promise<void>;
}

export interface SealKeyPlaces {
  /** The directory of systemd's credentials, or undefined without them; the key is its `steward.key`. */
  credentialsDirectory: string | undefined;
  /** The key that root gives, by default /etc/steward/seal.key. */
  path: string;
  /** The key that the agent makes when it is given none: a hidden file in its state directory. */
  fallbackPath: string;
  /** False: without a key there is none. */
  mayMake?: boolean;
  /** Called after the agent has made its own key just now: it does not open what another key sealed. */
  onMade?: () => void;
}
