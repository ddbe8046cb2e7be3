import assert from "node:assert/strict";
import fc from "fast-check";
import { decodeReply } from "../../src/clock/ntp/ntp-packet.ts";
import { sampleOf } from "../../src/clock/ntp/on-wire.ts";
import { bytes, mostly, spoiltBytes, weighed } from "./arbitraries.ts";
import { judgeCases, type Outcomes } from "./cases.ts";

/** 2026-11-01. */
const pivotSeconds = 1_793_491_200;

const byte = fc.nat(255);

/** Nearly a reply: leap 0 to 3, version 3 or 4, mode 4; a small root delay and dispersion; all else is anything. */
const nearly = fc
  .record({
    ...{ nonce: bytes(8), packet: bytes(48), isSmall: mostly(80), isAnswer: mostly(90), isEmpty: mostly(10) },
    first: weighed(
      [9, fc.tuple(fc.nat(3), fc.constantFrom(3, 4)).map(([a, b]) => (a << 6) | (b << 3) | 4)],
      [1, byte],
    ),
    stratum: weighed([4, fc.nat(17)], [1, byte]),
    precision: weighed([4, fc.constantFrom(0xec, 0xe8, 0x00, 0x7f, 0x80)], [1, byte]),
    kiss: weighed([9, fc.constant("")], [1, fc.constantFrom("RATE", "DENY", "RSTR", "X")]),
    isAtOnce: mostly(40),
  })
  .map(({ nonce, packet, ...has }) => {
    packet.set([has.first, has.stratum, packet[2] ?? 0, has.precision]);
    if (has.isSmall) packet.fill(0, 4, 6).fill(0, 8, 10);
    packet.write(has.kiss, 12, "latin1");
    if (has.isAnswer) nonce.copy(packet, 24);
    if (has.isAtOnce) packet.copyWithin(40, 32, 36);
    if (has.isEmpty) packet.fill(0, 32);
    return { nonce, packet };
  });

const spoilt = nearly.chain(({ nonce, packet }) =>
  fc.record({ nonce: fc.constant(nonce), packet: spoiltBytes(packet) }),
);

const anything = fc.record({ nonce: bytes(8), packet: bytes(0, 120) });
const packets = weighed([6, nearly], [3, spoilt], [1, anything]);

/** Packets to the reader of NTP replies: what it believes must be believable by the bytes themselves (RFC 5905 §7.3). */
export function fuzzNtp(cases: number, read = decodeReply): Promise<Outcomes> {
  return judgeCases(cases, packets, ({ nonce, packet }) => {
    const decoded = read(packet, { nonce, pivotSeconds });
    if (decoded.kind === "bad") return decoded.reason;
    const [first = 0, stratum = 0] = packet;
    assert.equal(packet.length, 48, "it believed a packet of another length");
    assert.equal(first & 7, 4, "it believed another mode than 4");
    assert.ok([3, 4].includes((first >> 3) & 7), "it believed another version than 3 or 4");
    assert.ok(packet.subarray(24, 32).equals(nonce), "it believed an answer to another question");
    if (decoded.kind !== "reply") return decoded.kind;
    const isSynchronised = first >> 6 !== 3 && stratum >= 1 && stratum <= 15;
    assert.ok(isSynchronised, "it believed a server that is not synchronised");
    const times = [packet.readBigUInt64BE(32), packet.readBigUInt64BE(40)];
    assert.ok(!times.includes(0n), "it believed a time of 0");
    const distance = Math.abs(decoded.transmitSeconds - pivotSeconds);
    assert.ok(distance <= 2 ** 31, "it believed a time of another era");
    const sample = sampleOf(decoded, {
      sentMonotonicSeconds: 100,
      arrived: { wallSeconds: pivotSeconds, monotonicSeconds: 100.05 },
      longestSeconds: 1,
    });
    const numbers = [...Object.values(decoded), ...Object.values(sample ?? {})];
    const isNone = (value: unknown): boolean => typeof value === "number" && !Number.isFinite(value);
    assert.ok(!numbers.some(isNone), "it believed a number that is none");
    assert.ok(sample === null || sample.delaySeconds > 0, "it believed a negative delay");
    return decoded.kind;
  });
}
