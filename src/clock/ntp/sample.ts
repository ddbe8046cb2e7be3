import type { SourceReason } from "../../contract/words/clock.ts";
import type { Leap } from "../../host/ports.ts";

/** The result of one accepted exchange with a server (RFC 5905 §8). Positive offset: this host is behind; add it. */
export interface Sample {
  /** Monotonic seconds of the host at the arrival of the reply. */
  readonly atSeconds: number;
  readonly offsetSeconds: number;
  /** Round trip without the server's own time; at least the precision. */
  readonly delaySeconds: number;
  /** ε at `atSeconds`: precision of both clocks and PHI × the time of the exchange. */
  readonly dispersionSeconds: number;
  /** 1 to 15. */
  readonly stratum: number;
  readonly leap: Leap;
  /** The id of the server's own source: four ASCII characters at stratum 1, else 8 hex digits. */
  readonly refid: string;
  readonly rootDelaySeconds: number;
  readonly rootDispersionSeconds: number;
}

/** Reasons to reject a packet. `nts_nak`: the cookie is unknown, or said to be; `not_authentic`: no right authenticator. */
export const badPacketCodes = {
  short: "bad_packet",
  long: "bad_packet",
  version: "bad_packet",
  mode: "bad_packet",
  origin: "bad_packet",
  unsynchronised: "server_unsynchronised",
  stratum: "server_unsynchronised",
  no_time: "bad_packet",
  root_distance: "too_uncertain",
  delay: "bad_packet",
  nts_nak: "nts_nak",
  not_authentic: "not_authentic",
} as const satisfies Readonly<Record<string, SourceReason["code"]>>;

export type BadPacket = keyof typeof badPacketCodes;

/** The codes of a kiss-o'-death: the server refuses this client, or is asked too often. */
export type KissCode = "DENY" | "RSTR" | "RATE";

/** Seconds by which its offset may err if the servers up to the root are right, at its arrival (RFC 5905 §11.1). */
export function distanceOf(sample: Sample): number {
  const path = (sample.rootDelaySeconds + sample.delaySeconds) / 2;
  return path + sample.rootDispersionSeconds + sample.dispersionSeconds;
}

/**
 * The end of an exchange. `ignored`: the reason that each earlier packet was not believed.
 * `silent`: no believable packet in time; its reason is that of the last bad packet with its figures, else `timeout`, or
 * the code of the system's error such as ECONNREFUSED.
 */
export type ExchangeOutcome =
  | { readonly kind: "sample"; readonly sample: Sample; readonly ignored: readonly BadPacket[] }
  | { readonly kind: "kiss"; readonly code: KissCode; readonly ignored: readonly BadPacket[] }
  | { readonly kind: "silent"; readonly reason: string; readonly ignored: readonly BadPacket[] };

/** The frequency tolerance of a clock, seconds a second: what uncertainty grows by (RFC 5905 §7.2: PHI, 15 ppm). */
export const phi = 15e-6;
