import { serverParts, type TimeServer } from "../../contract/clock/time-server.ts";
import type { DatagramAddress, Timers } from "../../host/ports.ts";
import type { Counters } from "../counters.ts";
import { AddressWalk } from "./address-walk.ts";
import type { Exchange, Seal } from "./exchange.ts";
import { type NtpTarget, resolveServer, type ServerResolution } from "./resolve-server.ts";
import type { ExchangeOutcome } from "./sample.ts";
import { addSample, emptyRegister, type SampleRegister, shiftSamples } from "./sample-filter.ts";

/** The keys and cookies that authenticate the exchanges with one server (RFC 8915). */
export interface Association {
  /** The server of the next request, after a key exchange without cookies. `isAsked`: a person ends earlier waits. */
  target(options: { isAsked: boolean }): Promise<NtpTarget | { readonly failure: string }>;
  /** True while the dates of the server's certificates were not judged, because the time was not known. */
  isProvisional(): boolean;
  /** Exchanges keys again, with certificates that are valid at this time (seconds since 1970); null: done. */
  confirm(atSeconds: number): Promise<{ readonly failure: string } | null>;
  readonly seal: Seal;
  /** The server does not take the cookies any more. */
  refused(): void;
}

/** Opens the association with a server whose key exchange is at this host and port. */
export type OpenAssociation = (server: NtpTarget) => Promise<Association>;

export interface SourceOptions extends ServerResolution {
  readonly exchange: Exchange;
  readonly openAssociation: OpenAssociation;
  readonly timers: Timers;
  readonly monotonic: () => number;
  /** Seconds by which the clock was moved forward in all. */
  readonly moved: () => number;
  readonly counters: Counters;
  /** True where another source has this address: a server must not vote twice. */
  readonly isTaken: (address: DatagramAddress, by: string) => boolean;
}

export interface PollRequest {
  /** Exchanges with the server. */
  readonly burst: number;
  /** A person asks, or the network is another one: no wait after earlier failures or refusals holds. */
  readonly isAsked: boolean;
}

/** Seconds between two exchanges of a burst: public servers treat faster requests as an attack. */
const burstSpacingSeconds = 2;

/** The newest bits of the reach register; a server is silent when all three are 0. */
const silences = 0b111;

/** Seconds after which a name is looked up again: pools change. */
const nameLifetimeSeconds = 3_600;

/** One time server: its address, its last samples, and whether it may be polled. */
export class Source {
  /** The server as it is written in the settings. */
  readonly id: string;
  /** Only authenticated answers count (RFC 8915). */
  readonly nts: boolean;
  readonly #server: NtpTarget;
  readonly #options: SourceOptions;
  /** null: plain NTP, or the first request was not made yet. */
  #association: Association | null = null;
  /** The NTP server as it was looked up last, and its addresses. */
  #target: NtpTarget | null = null;
  #found: readonly string[] = [];
  readonly #walk = new AddressWalk();
  #address: DatagramAddress | null = null;
  /** Monotonic seconds of the last request to that address. */
  #askedAt = Number.POSITIVE_INFINITY;
  #lookedUpAt = Number.NEGATIVE_INFINITY;
  #register: SampleRegister = emptyRegister;
  /** The value of `moved` when the samples were last brought up to date. */
  #moved = 0;
  #reach = 0;
  #failure: string | null = null;

  constructor({ host: id, nts }: TimeServer, options: SourceOptions) {
    this.id = id;
    this.nts = nts;
    this.#server = serverAddress(id, nts ? keyExchangePort : ntpPort);
    this.#options = options;
  }

  /** null: not looked up yet. */
  address(): DatagramAddress | null {
    return this.#address;
  }

  /** The samples, against the clock as it is now. */
  register(): SampleRegister {
    const moved = this.#options.moved();
    this.#register = shiftSamples(this.#register, moved - this.#moved);
    this.#moved = moved;
    return this.#register;
  }

  /** A bit for each of the last eight exchanges, the newest lowest. */
  reach(): number {
    return this.#reach;
  }

  /** The reason why the last exchange brought no sample; null: it brought one. */
  failure(): string | null {
    return this.#failure;
  }

  /** True where its answers are authenticated by a server whose certificates' dates were not judged yet. */
  isProvisional(): boolean {
    return this.#association?.isProvisional() === true;
  }

  forget(): void {
    this.#register = emptyRegister;
  }

  /**
   * Polls it so many times, an address two seconds apart; once while it is provisional. An address that has asked for it is
   * left in peace, unless a person asks and there is no other: then it gets one request. Never rejects.
   */
  async poll({ burst, isAsked }: PollRequest): Promise<void> {
    const { monotonic, timers, exchange } = this.#options;
    let isFirst = true;
    for (let left = burst; left > 0; ) {
      const before = this.#address;
      const address = await this.#next(isFirst, isAsked);
      if (!address) return;
      const isAgain = !isFirst && address === before;
      if (isAgain || this.#walk.isQuiet(address.address, monotonic()))
        await new Promise<void>((resolve) => timers.after(burstSpacingSeconds, resolve));
      isFirst = false;
      const outcome = await exchange(address, this.#association?.seal);
      this.#take(address, outcome);
      if (this.isProvisional()) return;
      // A refusal is one address's: another one is asked in its place.
      if (!this.#walk.isRefused(address.address)) left -= 1;
    }
  }

  /**
   * Polls it again after a key exchange with certificates that are valid at this time (seconds since 1970). What it said
   * before is forgotten: another server may have said it, with a stolen key whose certificate has expired.
   */
  async confirm(atSeconds: number, request: PollRequest): Promise<void> {
    const failed = await this.#association?.confirm(atSeconds);
    this.forget();
    if (failed) this.#fail(failed.failure);
    else await this.poll(request);
  }

  /** The address that takes the next request; null: there is none, or none may be asked now. */
  async #next(isFirst: boolean, isAsked: boolean): Promise<DatagramAddress | null> {
    const target = await this.#ntpServer(isAsked);
    if ("failure" in target) {
      this.#fail(target.failure);
      return null;
    }
    // Every hour, and after a failure: the name may lead elsewhere. Once a burst, for look-ups take long.
    const isStale =
      this.#failure !== null || this.#options.monotonic() - this.#lookedUpAt > nameLifetimeSeconds;
    if (this.#target !== target || (isFirst && isStale)) await this.#lookUp(target);
    return this.#choose(target.port, isFirst && isAsked);
  }

  async #lookUp(target: NtpTarget): Promise<void> {
    this.#target = target;
    this.#options.counters.add("name_look_ups");
    const found = await resolveServer(this.#options, target);
    // A resolver that is silent for once says nothing against the addresses.
    const isSilent = "failure" in found && found.failure.startsWith("name_");
    if (isSilent && this.#found.length > 0) return;
    this.#found = "failure" in found ? [] : found;
    if ("failure" in found) this.#fail(found.failure);
    else this.#lookedUpAt = this.#options.monotonic();
  }

  async #ntpServer(isAsked: boolean): Promise<NtpTarget | { readonly failure: string }> {
    if (!this.nts) return this.#server;
    this.#association ??= await this.#options.openAssociation(this.#server);
    return this.#association.target({ isAsked });
  }

  /** Keeps the address that answered last, unless it refused or stayed silent; else takes one that no other source has. */
  #choose(port: number, isAsked: boolean): DatagramAddress | null {
    const { isTaken, monotonic } = this.#options;
    const free = this.#found.filter((address) => !isTaken({ address, port }, this.id));
    if (free.length === 0) {
      if (this.#found.length > 0) this.#fail("same_server");
      this.#moveTo(null);
      return null;
    }
    const present = this.#address?.address ?? "";
    // One lost packet is not a reason to leave a server.
    const isSilent = this.#failure !== null && (this.#reach & silences) === 0;
    const isKept = free.includes(present) && !isSilent && !this.#walk.isRefused(present);
    const inTurn = isKept ? [present] : this.#walk.inTurn(free);
    const welcome = inTurn.find((address) => !this.#walk.isQuiet(address, monotonic()));
    const address = welcome ?? (isAsked ? inTurn[0] : undefined);
    if (address === undefined) return null;
    this.#moveTo({ address, port });
    return this.#address;
  }

  #moveTo(address: DatagramAddress | null): void {
    if (address?.address === this.#address?.address && address?.port === this.#address?.port) return;
    // Samples of the former address do not hold for this one.
    this.#register = emptyRegister;
    this.#reach = 0;
    this.#askedAt = Number.POSITIVE_INFINITY;
    this.#address = address;
  }

  #fail(reason: string): void {
    this.#failure = reason;
    this.#reach = shiftReach(this.#reach, false);
  }

  #take({ address }: DatagramAddress, outcome: ExchangeOutcome): void {
    const { counters, monotonic } = this.#options;
    const now = monotonic();
    counters.add("exchanges");
    counters.add("bad_packets", outcome.ignored.length);
    switch (outcome.kind) {
      case "sample":
        counters.add("samples");
        this.#failure = null;
        this.#reach = shiftReach(this.#reach, true);
        this.#register = addSample(this.register(), outcome.sample);
        this.#walk.answered(address, now);
        break;
      case "kiss": {
        counters.add("kisses");
        const intervalSeconds = Math.max(1, now - this.#askedAt);
        this.#walk.failed(address, now, { kiss: outcome.code, isSigned: this.nts, intervalSeconds });
        this.#fail(`kiss ${outcome.code}`);
        break;
      }
      case "silent":
        counters.add("silences");
        if (outcome.reason === "nts_nak") this.#association?.refused();
        this.#walk.failed(address, now);
        this.#fail(outcome.reason);
    }
    this.#askedAt = now;
  }
}

/** The register of the last eight polls, a bit for each, after one more; 0: unreachable (RFC 5905 §13). */
export function shiftReach(reach: number, wasAnswered: boolean): number {
  return ((reach << 1) | (wasAnswered ? 1 : 0)) & 0xff;
}

/** RFC 5905 §7.2: PORT. */
export const ntpPort = 123;

/** RFC 8915 §7.1. */
export const keyExchangePort = 4460;

/** The parts of a server's text, which the settings' schema has checked; `usualPort`: where it names none. */
export function serverAddress(text: string, usualPort: number = ntpPort): NtpTarget {
  const { host, port } = serverParts(text);
  return { host, port: port ?? usualPort };
}
