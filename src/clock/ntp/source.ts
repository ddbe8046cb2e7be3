import type { DatagramAddress, ResolveHost, Timers } from "../../host/ports.ts";
import type { Counters } from "../counters.ts";
import { afterKiss, firstPoll, type PollState, waitSeconds } from "./poll-control.ts";
import type { ExchangeOutcome } from "./sample.ts";
import { addSample, emptyRegister, type SampleRegister, shiftSamples } from "./sample-filter.ts";

export interface SourceOptions {
  readonly exchange: (address: DatagramAddress) => Promise<ExchangeOutcome>;
  readonly resolve: ResolveHost;
  readonly timers: Timers;
  readonly monotonic: () => number;
  /** Seconds by which the clock was moved forward in all. */
  readonly moved: () => number;
  readonly counters: Counters;
  /** True where another source has this address: a server must not vote twice. */
  readonly isTaken: (address: DatagramAddress, by: string) => boolean;
}

/** Seconds between two exchanges of a burst: public servers treat faster requests as an attack. */
const burstSpacingSeconds = 2;

/** The newest bits of the reach register; a server is silent when all three are 0. */
const silences = 0b111;

/** Seconds after which a name is looked up again: pools change. */
const nameLifetimeSeconds = 3_600;

/** One time server: its address, its last samples, and whether it may be polled. */
export class Source {
  /** As it is written in the settings. */
  readonly id: string;
  readonly host: string;
  readonly #port: number;
  readonly #options: SourceOptions;
  #address: DatagramAddress | null = null;
  #lookedUpAt = Number.NEGATIVE_INFINITY;
  #register: SampleRegister = emptyRegister;
  /** The value of `moved` when the samples were last brought up to date. */
  #moved = 0;
  #reach = 0;
  #poll: PollState = firstPoll;
  #denied: string | null = null;
  #nextPollAt = Number.NEGATIVE_INFINITY;
  #failure: string | null = null;

  constructor(id: string, options: SourceOptions) {
    const { host, port } = serverAddress(id);
    this.id = id;
    this.host = host;
    this.#port = port;
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

  /** The code of the kiss-o'-death that forbade further requests; null: it may be polled. */
  denied(): string | null {
    return this.#denied;
  }

  /** The reason why the last exchange brought no sample; null: it brought one. */
  failure(): string | null {
    return this.#failure;
  }

  /** Forgets its samples. */
  forget(): void {
    this.#register = emptyRegister;
  }

  /** Polls it so many times, two seconds apart; does nothing while it has asked for fewer requests. Never rejects. */
  async poll(burst: number): Promise<void> {
    const { monotonic, timers } = this.#options;
    for (let count = 0; count < burst; count += 1) {
      if (this.#denied !== null || monotonic() < this.#nextPollAt) return;
      if (count > 0) await new Promise<void>((resolve) => timers.after(burstSpacingSeconds, resolve));
      // Once a burst: a name need not be looked up every two seconds.
      const address = count === 0 ? await this.#lookUp() : this.#address;
      if (!address) return;
      this.#take(await this.#options.exchange(address));
    }
  }

  /** Looks the name up again every hour, and after a failure: another address may answer. */
  async #lookUp(): Promise<DatagramAddress | null> {
    const { resolve, monotonic, counters } = this.#options;
    const isStale = monotonic() - this.#lookedUpAt > nameLifetimeSeconds;
    if (this.#address && this.#failure === null && !isStale) return this.#address;
    counters.add("name_look_ups");
    const found = await resolve(this.host).catch(() => null);
    if (found === null) this.#fail("name_not_found");
    else this.#choose(found.map((address) => ({ address, port: this.#port })));
    return this.#address;
  }

  /** Keeps the address that answered last, unless it was silent several times in a row; else takes one that no other source has. */
  #choose(found: readonly DatagramAddress[]): void {
    const free = found.filter((address) => !this.#options.isTaken(address, this.id));
    const isPresent = ({ address }: DatagramAddress) => address === this.#address?.address;
    // One lost packet is not a reason to leave a server.
    const isGivenUp = this.#failure !== null && (this.#reach & silences) === 0;
    const next = free.find((address) => isPresent(address) !== isGivenUp);
    this.#moveTo(next ?? free[0] ?? null);
    if (free.length === 0) this.#fail(found.length === 0 ? "no_address" : "same_server");
  }

  #moveTo(address: DatagramAddress | null): void {
    this.#lookedUpAt = this.#options.monotonic();
    if (address?.address === this.#address?.address) return;
    // Samples of the former address, and its kisses, do not hold for this one.
    this.#register = emptyRegister;
    this.#reach = 0;
    this.#poll = firstPoll;
    this.#address = address;
  }

  #fail(reason: string): void {
    this.#failure = reason;
    this.#reach = shiftReach(this.#reach, false);
  }

  #take(outcome: ExchangeOutcome): void {
    const { counters, monotonic } = this.#options;
    counters.add("exchanges");
    counters.add("bad_packets", outcome.ignored.length);
    switch (outcome.kind) {
      case "sample":
        counters.add("samples");
        this.#failure = null;
        this.#reach = shiftReach(this.#reach, true);
        this.#register = addSample(this.register(), outcome.sample);
        return;
      case "kiss":
        counters.add("kisses");
        this.#poll = afterKiss(this.#poll, outcome.code);
        this.#nextPollAt = monotonic() + (waitSeconds(this.#poll, 0) ?? 0);
        if (!this.#poll.isWelcome) this.#denied = outcome.code;
        this.#fail(`kiss ${outcome.code}`);
        return;
      case "silent":
        counters.add("silences");
        this.#fail(outcome.reason);
    }
  }
}

/** A bit for each of the last eight polls of a source, the newest lowest; 0 to 255; 0: unreachable (RFC 5905 §13). */
export type Reach = number;

/** The register after one more poll, answered by a believable packet or not. */
export function shiftReach(reach: Reach, wasAnswered: boolean): Reach {
  return ((reach << 1) | (wasAnswered ? 1 : 0)) & 0xff;
}

/** One time server as the settings name it: `host`, `host:port` or `[v6]:port`. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/** RFC 5905 §7.2: PORT. */
const ntpPort = 123;

/** The parts of a server's text, which the settings' schema has checked. */
export function serverAddress(text: string): ServerAddress {
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(text) ?? [];
  return { host: bracketed ?? plain ?? text, port: port === undefined ? ntpPort : Number(port) };
}
