import { type DecodedPacket, decodeReply } from "../../src/clock/ntp/ntp-packet.ts";
import { sampleOf } from "../../src/clock/ntp/on-wire.ts";
import { draw, oneOf, percent, randomBytes, spoiltBytes } from "./draw.ts";
import type { Fuzzing } from "./target.ts";

/** 2026-11-01. */
const pivotSeconds = 1_793_491_200;

/** Packets to the reader of NTP replies: what it believes must be believable by the bytes themselves (RFC 5905 §7.3). */
export async function fuzzNtp({ chance, cases, ledger }: Fuzzing, read = decodeReply): Promise<null> {
  for (let made = 0; made < cases; made += 1) {
    const nonce = randomBytes(chance, 8);
    const packet = packetFor(nonce);
    ledger.begin(packet.toString("hex"));
    try {
      const decoded = read(packet, { nonce, pivotSeconds });
      ledger.count(decoded.kind === "bad" ? decoded.reason : decoded.kind);
      for (const fault of faultsOf(packet, nonce, decoded)) ledger.find(fault);
    } catch (error) {
      ledger.find(`it threw ${String(error)}`);
    }
  }
  return null;

  function packetFor(nonce: Buffer): Buffer {
    if (percent(chance, 10)) return randomBytes(chance, draw(chance, 120));
    const packet = randomBytes(chance, 48);
    // Leap 0 to 3, version 3 or 4, mode 4; a small root delay and dispersion; all else is anything.
    if (percent(chance, 90)) packet[0] = (draw(chance, 4) << 6) | (oneOf(chance, [3, 4]) << 3) | 4;
    if (percent(chance, 80)) packet[1] = draw(chance, 18);
    if (percent(chance, 80)) packet.fill(0, 4, 6).fill(0, 8, 10);
    if (percent(chance, 80)) packet[3] = oneOf(chance, [0xec, 0xe8, 0x00, 0x7f, 0x80]);
    if (percent(chance, 10)) packet.write(oneOf(chance, ["RATE", "DENY", "RSTR", "X"]), 12, "latin1");
    if (percent(chance, 90)) nonce.copy(packet, 24);
    if (percent(chance, 40)) packet.copyWithin(40, 32, 36);
    if (percent(chance, 10)) packet.fill(0, 32);
    return percent(chance, 30) ? spoiltBytes(chance, packet) : packet;
  }
}

function faultsOf(packet: Buffer, nonce: Buffer, decoded: DecodedPacket): string[] {
  if (decoded.kind === "bad") return [];
  const [first = 0, stratum = 0] = packet;
  const rules: [string, boolean][] = [
    ["a packet of another length than 48", packet.length === 48],
    ["another mode than 4", (first & 7) === 4],
    ["another version than 3 or 4", [3, 4].includes((first >> 3) & 7)],
    ["an answer to another question", packet.subarray(24, 32).equals(nonce)],
  ];
  if (decoded.kind === "reply") {
    const sample = sampleOf(decoded, {
      sentMonotonicSeconds: 100,
      arrived: { wallSeconds: pivotSeconds, monotonicSeconds: 100.05 },
      longestSeconds: 1,
    });
    const numbers = [...Object.values(decoded), ...Object.values(sample ?? {})];
    rules.push(
      ["a server that is not synchronised", first >> 6 !== 3 && stratum >= 1 && stratum <= 15],
      ["a time of 0", packet.readBigUInt64BE(40) !== 0n && packet.readBigUInt64BE(32) !== 0n],
      [
        "a number that is none",
        numbers.every((value) => typeof value !== "number" || Number.isFinite(value)),
      ],
      ["a time of another era", Math.abs(decoded.transmitSeconds - pivotSeconds) <= 2 ** 31],
      ["a negative delay", sample === null || sample.delaySeconds > 0],
    );
  }
  return rules.filter(([, isKept]) => !isKept).map(([what]) => `it believed ${what}`);
}
