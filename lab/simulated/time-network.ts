import { deadlineSeconds, type Exchange, promptSeconds } from "../../src/clock/ntp/exchange.ts";
import { sampleOf } from "../../src/clock/ntp/on-wire.ts";
import {
  type BadPacket,
  distanceOf,
  type ExchangeOutcome,
  type KissCode,
} from "../../src/clock/ntp/sample.ts";
import type { AskSecondOpinion } from "../../src/clock/ntp/second-opinion.ts";
import type { OpenAssociation } from "../../src/clock/ntp/source.ts";
import type { ClockDriver, Leap } from "../../src/host/ports.ts";
import type { Chance } from "../basics/chance.ts";
import type { WorldTime } from "./virtual-time.ts";

/** A time server and the way to it; a scenario may change each of these while it runs. */
export type ServerPlan = typeof ordinaryServer;

export const ordinaryServer = {
  /** A literal address. */
  address: "192.0.2.1",
  /** Its clock less true time, and how fast that grows. */
  offsetSeconds: 0,
  driftPpm: 0,
  /** Round trip of an undisturbed packet. */
  delaySeconds: 0.02,
  /** The way there takes so much longer than the way back; negative: shorter. */
  asymmetrySeconds: 0,
  /** Mean of what each way takes longer (exponential). */
  jitterSeconds: 100e-6,
  /** Part of the packets that meet a queue, and the mean of what that takes (exponential). */
  tail: { part: 0, seconds: 0 },
  /** Part of the exchanges that get no answer. */
  loss: 0,
  /** It answers every so manyth request. */
  answersEvery: 1,
  /** It does this instead of giving the time; null: it gives the time. */
  manner: null as { kiss: KissCode } | { bad: BadPacket } | "silent" | null,
  /** Its second opinion is off by this; null: as its own answers; `silent`: it gives none. */
  secondOpinionOffsetSeconds: null as number | "silent" | null,
  stratum: 2,
  rootDispersionSeconds: 100e-6,
  leap: "as_it_is" as Leap | "as_it_is",
  /** Its key exchange; null: it offers none. */
  nts: null as NtsPlan | null,
};

/** Seconds since 1970 between which a server's certificate is valid, and the failure of every key exchange with it. */
export interface NtsPlan {
  validFromSeconds: number;
  validToSeconds: number;
  failure: string | null;
}

interface TimeNetworkOptions {
  readonly time: WorldTime;
  readonly chance: Chance;
  /** Seconds since 1970, UTC. */
  readonly trueSeconds: () => number;
  readonly leap: () => Leap;
  readonly servers: readonly ServerPlan[];
  readonly mostDistanceSeconds?: () => number;
}

/** A server takes this to answer (s). */
const heldSeconds = 20e-6;

/** A network with simulated time servers. */
export class TimeNetwork {
  /** false: no packet gets through, and no name is found. */
  isUp = true;
  /** The address that the device has in it. */
  ownAddress = "198.51.100.7";
  /** Packets that were sent. */
  sent = 0;
  /** The time (seconds since 1970) at which each certificate was judged; null: its dates were excused. */
  readonly keyExchanges: { address: string; atSeconds: number | null }[] = [];
  readonly servers: ServerPlan[];
  /** Names besides the literal addresses. */
  readonly names = new Map<string, readonly string[]>();
  readonly #options: TimeNetworkOptions;
  /** The servers whose last answer came too late for a round that does not wait. */
  readonly #late = new Set<string>();
  readonly #asked = new Map<ServerPlan, number>();

  constructor(options: TimeNetworkOptions) {
    this.#options = options;
    this.servers = options.servers.map((server) => ({ ...server }));
  }

  resolve = async (host: string): Promise<readonly string[]> => {
    if (/^[\d.]+$/.test(host)) return [host];
    const found = this.isUp ? this.names.get(host) : undefined;
    if (!found) throw new Error("ENOTFOUND");
    return found;
  };

  exchange(driver: Pick<ClockDriver, "read">): Exchange {
    return ({ address }, _seal, isPatient = false) =>
      new Promise((resolve) => this.#ask(driver, { address, isPatient }, resolve));
  }

  secondOpinion(driver: Pick<ClockDriver, "read">): AskSecondOpinion {
    return async ({ address }) => {
      const server = this.servers.find((one) => one.address === address);
      if (!server || !this.isUp || server.manner !== null) return { kind: "none", reason: "timeout" };
      const opinion = server.secondOpinionOffsetSeconds;
      if (opinion === "silent") return { kind: "none", reason: "timeout" };
      const own = opinion ?? this.#errorOf(server);
      const { wallSeconds } = driver.read();
      const offsetSeconds = this.#options.trueSeconds() + own - wallSeconds;
      return { kind: "opinion", offsetSeconds, roundTripSeconds: server.delaySeconds };
    };
  }

  /** Key exchanges take no time here, and packets are not sealed: who may answer is what a scenario is about. */
  openAssociation: OpenAssociation = async (server) => {
    let isProvisional = false;
    const exchange = async (atSeconds: number | null) => {
      const failure = this.#exchangeKeys(server.host, atSeconds);
      isProvisional = failure === null && atSeconds === null;
      return failure === null ? null : { failure };
    };
    let hasKeys = false;
    return {
      target: async () => {
        if (hasKeys) return server;
        const failed = await exchange(null);
        hasKeys = failed === null;
        return failed ?? { ...server, port: 123 };
      },
      isProvisional: () => isProvisional,
      confirm: async (atSeconds) => {
        const failed = await exchange(atSeconds);
        hasKeys = failed === null;
        return failed;
      },
      seal: (packet) => ({ packet, open: (reply) => reply }),
      refused: () => {
        hasKeys = false;
      },
    };
  };

  /** The failure of a key exchange with the server at this address; null: it gives keys. */
  #exchangeKeys(address: string, atSeconds: number | null): string | null {
    this.keyExchanges.push({ address, atSeconds });
    const server = this.servers.find((one) => one.address === address);
    if (!server || !this.isUp || server.manner === "silent") return "nts_no_answer";
    if (server.nts === null) return "nts_not_offered";
    const { failure, validFromSeconds, validToSeconds } = server.nts;
    if (failure !== null || atSeconds === null) return failure;
    if (atSeconds < validFromSeconds) return "nts_certificate_not_yet_valid";
    return atSeconds > validToSeconds ? "nts_certificate_expired" : null;
  }

  #errorOf({ offsetSeconds, driftPpm }: ServerPlan): number {
    return offsetSeconds + driftPpm * 1e-6 * this.#options.time.now();
  }

  #ask(
    driver: Pick<ClockDriver, "read">,
    { address, isPatient }: { address: string; isPatient: boolean },
    resolve: (outcome: ExchangeOutcome) => void,
  ): void {
    const { time, chance } = this.#options;
    this.sent += 1;
    const sentMonotonicSeconds = driver.read().monotonicSeconds;
    const server = this.servers.find((one) => one.address === address);
    const there = server ? this.#way(server, 1) : 0;
    const back = server ? this.#way(server, -1) : 0;
    const isLost = !server || !this.isUp || !this.#answers(server) || chance.uniform() < server.loss;
    const wasLate = this.#late.delete(address);
    const isAwaited = isPatient || wasLate;
    // Without effect where it has ended before.
    time.hostTimers.after(isAwaited ? deadlineSeconds : promptSeconds, () =>
      resolve({ kind: "silent", reason: "timeout", ignored: [] }),
    );
    if (isLost || there + back > deadlineSeconds) return;
    time.at(time.now() + there, () => {
      const receiveSeconds = this.#options.trueSeconds() + this.#errorOf(server);
      time.at(time.now() + heldSeconds + back, () => {
        if (there + back > promptSeconds) this.#late.add(address);
        resolve(this.#outcome(server, driver, { sentMonotonicSeconds, receiveSeconds }));
      });
    });
  }

  #outcome(
    server: ServerPlan,
    driver: Pick<ClockDriver, "read">,
    { sentMonotonicSeconds, receiveSeconds }: { sentMonotonicSeconds: number; receiveSeconds: number },
  ): ExchangeOutcome {
    const { manner, leap, stratum, rootDispersionSeconds } = server;
    const silent = (reason: BadPacket): ExchangeOutcome => ({ kind: "silent", reason, ignored: [reason] });
    if (manner !== null && manner !== "silent") {
      return "kiss" in manner ? { kind: "kiss", code: manner.kiss, ignored: [] } : silent(manner.bad);
    }
    const reply = {
      ...{
        kind: "reply" as const,
        receiveSeconds,
        transmitSeconds: receiveSeconds + heldSeconds,
        heldSeconds,
      },
      ...{ leap: leap === "as_it_is" ? this.#options.leap() : leap, stratum, precisionSeconds: 2 ** -23 },
      ...{ rootDelaySeconds: 200e-6, rootDispersionSeconds, refid: "c0000201" },
    };
    const arrived = driver.read();
    const sample = sampleOf(reply, { sentMonotonicSeconds, arrived, longestSeconds: deadlineSeconds });
    if (sample === null) return silent("delay");
    const most = this.#options.mostDistanceSeconds?.() ?? 1.5;
    return distanceOf(sample) > most ? silent("root_distance") : { kind: "sample", sample, ignored: [] };
  }

  /** Seconds of one way; `direction` 1: there, −1: back. */
  #way({ delaySeconds, asymmetrySeconds, jitterSeconds, tail }: ServerPlan, direction: 1 | -1): number {
    const { chance } = this.#options;
    const queue = chance.uniform() < tail.part ? tail.seconds * chance.exponential() : 0;
    const straight = (delaySeconds + direction * asymmetrySeconds) / 2;
    return straight + jitterSeconds * chance.exponential() + queue;
  }

  #answers(server: ServerPlan): boolean {
    const asked = (this.#asked.get(server) ?? 0) + 1;
    this.#asked.set(server, asked);
    return server.manner !== "silent" && asked % server.answersEvery === 0;
  }
}
