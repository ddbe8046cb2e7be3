import type { Leap } from "../../host/ports.ts";
import type { BadPacket, KissCode, Sample } from "./sample.ts";

/** Bytes of a packet without extension fields or a MAC (RFC 5905 §7.3). */
const packetBytes = 48;

/** The facts of a reply that its sample has as well. */
type ServerFacts = Pick<Sample, "leap" | "stratum" | "rootDelaySeconds" | "rootDispersionSeconds" | "refid">;

/** The content of an acceptable reply; times in seconds since 1970, whose quantum as doubles is 0.24 µs. */
export interface NtpReply extends ServerFacts {
  readonly kind: "reply";
  /** T2: when the server received the request. */
  readonly receiveSeconds: number;
  /** T3: when it sent its reply. */
  readonly transmitSeconds: number;
  /** T3 − T2 from the 64-bit figures, so exact to the nanosecond; never negative. */
  readonly heldSeconds: number;
  readonly precisionSeconds: number;
}

/** A reply, a kiss-o'-death with its code (RFC 5905 §7.4), or why the packet is not believed. */
export type DecodedPacket =
  | NtpReply
  | { readonly kind: "kiss"; readonly code: KissCode }
  | { readonly kind: "bad"; readonly reason: BadPacket };

/** Seconds from 1900, where NTP's era 0 begins, to 1970 (RFC 5905 §6, figure 4). */
const from1900To1970Seconds = 2_208_988_800;

/** Seconds of an era: NTP counts them in 32 bits. */
const eraSeconds = 2 ** 32;

/** No leap indicator 3 here: it means that the server is not synchronised. */
const leapOfIndicator: readonly Leap[] = ["none", "insert", "delete"];

const transmitOffset = 40;

/** RFC 5905 §7.4: a client acts on these. INIT and STEP, at stratum 0 too, are of servers that have no time yet. */
const isKissCode = (code: string | null): code is KissCode => /^(DENY|RSTR|RATE)$/.test(code ?? "");

/**
 * A client's request, Uint8Array(48): leap 0, version 4, mode 3, and zeros but for the transmit time, which is the
 * random nonce Uint8Array(8). It reveals neither this host's clock nor its state
 * (draft-ietf-ntp-data-minimization §4), and an attacker who does not see it must guess 64 bits to answer.
 */
export function encodeRequest(nonce: Uint8Array): Uint8Array {
  const packet = new Uint8Array(packetBytes);
  packet[0] = (0 << 6) | (4 << 3) | 3;
  packet.set(nonce, transmitOffset);
  return packet;
}

/**
 * Reads what came in answer to a request; never throws. The checks are those of RFC 5905 §8 and appendix A.5.1. `nonce`: the
 * Uint8Array(8) that the request carried. `pivotSeconds`: the build date, of which the server's time is within 68 years.
 */
export function decodeReply(
  bytes: Uint8Array,
  { nonce, pivotSeconds }: { readonly nonce: Uint8Array; readonly pivotSeconds: number },
): DecodedPacket {
  if (bytes.length < packetBytes) return bad("short");
  // Extension fields and MACs go only to those who sent some (RFC 7822, RFC 5905 §7.5), and there is no key to check
  // them with: more than was asked for is not from a server that understood the question.
  if (bytes.length > packetBytes) return bad("long");
  const view = new DataView(bytes.buffer, bytes.byteOffset, packetBytes);
  const first = view.getUint8(0);
  const version = (first >> 3) & 7;
  // 3 as well: some servers answer any version with theirs, and these 48 bytes mean the same in RFC 1305.
  if (version !== 4 && version !== 3) return bad("version");
  if ((first & 7) !== 4) return bad("mode");
  // Before everything that the packet says: a packet without the nonce is spoofed or an old reply again. A
  // kiss-o'-death too, else a stranger could silence a server from afar.
  if (!nonce.every((byte, index) => bytes[24 + index] === byte)) return bad("origin");
  const stratum = view.getUint8(1);
  const indicator = first >> 6;
  if (stratum === 0) {
    const code = asciiOf(bytes);
    return isKissCode(code) ? { kind: "kiss", code } : bad("unsynchronised");
  }
  const leap = leapOfIndicator[indicator];
  if (leap === undefined) return bad("unsynchronised");
  if (stratum > 15) return bad("stratum");
  return decodeTimes(view, { leap, stratum, pivotSeconds });
}

function decodeTimes(
  view: DataView,
  { leap, stratum, pivotSeconds }: { leap: Leap; stratum: number; pivotSeconds: number },
): DecodedPacket {
  const receive = view.getBigUint64(32);
  const transmit = view.getBigUint64(transmitOffset);
  if (receive === 0n || transmit === 0n) return bad("no_time");
  // Modulo 2^64, so that it is right across the end of an era.
  const heldSeconds = Number(BigInt.asIntN(64, transmit - receive)) / eraSeconds;
  if (heldSeconds < 0) return bad("no_time");
  const transmitSeconds = inEra(Number(transmit) / eraSeconds - from1900To1970Seconds, pivotSeconds);
  return {
    kind: "reply",
    receiveSeconds: transmitSeconds - heldSeconds,
    transmitSeconds,
    heldSeconds,
    leap,
    stratum,
    precisionSeconds: 2 ** view.getInt8(3),
    rootDelaySeconds: view.getUint32(4) / 2 ** 16,
    rootDispersionSeconds: view.getUint32(8) / 2 ** 16,
    refid: refidOf(view, stratum),
  };
}

/** Seconds of unknown era, within 2^31 s (68 years) of the pivot. RFC 5905 §6 takes the own clock; a build date is right. */
export function inEra(seconds: number, pivotSeconds: number): number {
  return seconds - eraSeconds * Math.round((seconds - pivotSeconds) / eraSeconds);
}

function refidOf(view: DataView, stratum: number): string {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, packetBytes);
  const text = stratum === 1 ? asciiOf(bytes) : null;
  return text ?? view.getUint32(12).toString(16).padStart(8, "0");
}

/** The reference id as one to four printable characters, left-justified and filled with zeros; else null. */
function asciiOf(bytes: Uint8Array): string | null {
  const text = String.fromCharCode(...bytes.subarray(12, 16)).replace(/\0+$/, "");
  return /^[!-~]{1,4}$/.test(text) ? text : null;
}

function bad(reason: BadPacket): DecodedPacket {
  return { kind: "bad", reason };
}
