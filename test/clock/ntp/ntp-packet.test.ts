import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { encode, type ReplyFields } from "../../../lab/host/hostile-time-server.ts";
import { decodeReply, encodeRequest, type NtpReply } from "../../../src/clock/ntp/ntp-packet.ts";

const nonce = Uint8Array.from([0xde, 0xad, 0xbe, 0xef, 1, 2, 3, 4]);

/** 2026-11-01. */
const pivotSeconds = 1_793_491_200;

/** 2026-11-20T00:00:00Z: 1,795,132,800 s since 1970, and 2,208,988,800 more since 1900. */
const receive = 4_004_121_600n << 32n;

const good: ReplyFields = {
  ...{ leap: 0, version: 4, mode: 4, stratum: 2, precision: -20, refid: "\xc0\x00\x02\x01" },
  ...{ rootDelaySeconds: 0.5, rootDispersionSeconds: 0.25, origin: nonce, receive },
  // A quarter of a second later.
  transmit: receive + 0x4000_0000n,
};

function decode(fields: Partial<ReplyFields>, pivot = pivotSeconds) {
  return decodeReply(encode({ ...good, ...fields }), { nonce, pivotSeconds: pivot });
}

function replyOf(fields: Partial<ReplyFields>, pivot = pivotSeconds): NtpReply {
  const decoded = decode(fields, pivot);
  assert.ok(decoded.kind === "reply", `not a reply: ${JSON.stringify(decoded)}`);
  return decoded;
}

it("a request is 48 bytes: version 4, mode 3, and nothing but the nonce in the transmit field", () => {
  assert.equal(Buffer.from(encodeRequest(nonce)).toString("hex"), `23${"00".repeat(39)}deadbeef01020304`);
});

describe("a reply", () => {
  it("written by hand from the figure of RFC 5905 §7.3 is read field by field", () => {
    const packet = Buffer.from(
      [
        "64 01 06 ec", // leap 1, version 4, mode 4; stratum 1; poll 6; precision -20
        "00 00 80 00", // root delay 0.5 s
        "00 00 40 00", // root dispersion 0.25 s
        "47 50 53 00", // GPS
        "eeaa0c00 00000000", // reference time
        "deadbeef 01020304", // origin
        "eeaa0c00 80000000", // received at half a second
        "eeaa0c01 00000000", // sent half a second later
      ]
        .join("")
        .replaceAll(" ", ""),
      "hex",
    );
    // Within a larger buffer it is read from where it begins.
    const whole = Buffer.concat([Buffer.alloc(5, 0xff), packet, Buffer.alloc(7, 0xff)]);
    assert.deepEqual(decodeReply(whole.subarray(5, 53), { nonce, pivotSeconds }), {
      kind: "reply",
      // 0xeeaa0c00 − 2,208,988,800
      ...{ receiveSeconds: 1_795_132_800.5, transmitSeconds: 1_795_132_801, heldSeconds: 0.5 },
      ...{ leap: "insert", stratum: 1, precisionSeconds: 1 / 1_048_576, refid: "GPS" },
      ...{ rootDelaySeconds: 0.5, rootDispersionSeconds: 0.25 },
    });
  });

  for (const [name, fields, expected] of [
    ["leap indicator 0", { leap: 0 }, { leap: "none" }],
    ["leap indicator 1", { leap: 1 }, { leap: "insert" }],
    ["leap indicator 2", { leap: 2 }, { leap: "delete" }],
    ["version 3, whose 48 bytes mean the same", { version: 3 }, { stratum: 2 }],
    ["four characters at stratum 1", { stratum: 1, refid: "PPS0" }, { refid: "PPS0" }],
    ["three characters and a zero at stratum 1", { stratum: 1, refid: "GPS\0" }, { refid: "GPS" }],
    ["unprintable bytes at stratum 1", { stratum: 1, refid: "\x1b[2J" }, { refid: "1b5b324a" }],
    ["nothing at stratum 1", { stratum: 1, refid: "\0\0\0\0" }, { refid: "00000000" }],
    ["letters at stratum 15, which are no name there", { stratum: 15, refid: "LOCL" }, { refid: "4c4f434c" }],
    // 43 units of 2^-32 s are 10.012 ns; as two doubles of today's time the difference would be nothing.
    ["a hold of nanoseconds", { transmit: receive + 43n }, { heldSeconds: 43 / 2 ** 32 }],
  ] as [string, Partial<ReplyFields>, Partial<NtpReply>][])
    it(`is read with ${name}`, () => {
      const reply = replyOf(fields);
      assert.deepEqual({ ...reply, ...expected }, reply);
    });
});

describe("a packet that is not believed", () => {
  const notSynchronised = { leap: 3, stratum: 0, refid: "\0\0\0\0" };
  const bad: [string, Partial<ReplyFields>, string][] = [
    ["of version 2", { version: 2 }, "version"],
    ["of version 5", { version: 5 }, "version"],
    ["of a client", { mode: 3 }, "mode"],
    ["that is broadcast", { mode: 5 }, "mode"],
    ["whose origin is zero", { origin: new Uint8Array(8) }, "origin"],
    ["whose origin is off by the last bit", { origin: nonce.with(7, 5) }, "origin"],
    ["whose origin is off by the first bit", { origin: nonce.with(0, 0x5e) }, "origin"],
    ["of a kiss without nonce", { ...notSynchronised, refid: "DENY", origin: nonce.with(0, 0) }, "origin"],
    ["of a server that is not synchronised", { leap: 3 }, "unsynchronised"],
    ["at stratum 0 without a code", notSynchronised, "unsynchronised"],
    ["at stratum 0 with a code that clears a terminal", { stratum: 0, refid: "\x1b[2J" }, "unsynchronised"],
    ["at stratum 16", { stratum: 16 }, "stratum"],
    ["at stratum 255", { stratum: 255 }, "stratum"],
    ["that was received at no time", { receive: 0n, transmit: 63_104n << 32n }, "no_time"],
    ["that was sent at no time", { transmit: 0n }, "no_time"],
    ["that was sent before it was received", { transmit: receive - 1n }, "no_time"],
  ];
  for (const [name, fields, reason] of bad)
    it(`${name}: ${reason}`, () => assert.deepEqual(decode(fields), { kind: "bad", reason }));

  it("by its length: short, or long with a right reply at its head", () => {
    const long = Buffer.concat([encode(good), Buffer.alloc(65_507)]);
    for (const length of [...Array(48).keys(), 49, 52, 68, 1_500, 65_507]) {
      const reason = length < 48 ? "short" : "long";
      const decoded = decodeReply(long.subarray(0, length), { nonce, pivotSeconds });
      assert.deepEqual(decoded, { kind: "bad", reason }, `${length} bytes`);
    }
  });
});

describe("a kiss-o'-death", () => {
  it("is known by its code, with or without times in it", () => {
    for (const code of ["DENY", "RSTR", "RATE"])
      for (const fields of [{ leap: 3 }, { receive: 0n, transmit: 0n }])
        assert.deepEqual(decode({ stratum: 0, refid: code, ...fields }), { kind: "kiss", code });
  });

  it("is no answer with any other code: the server has no time", () => {
    // RFC 5905 §7.4, figure 13, and RFC 8915 §5.7; by (c) and (d) there they have no significance.
    const others = "ACST AUTH AUTO BCST CRYP DROP INIT MCST NKEY RMOT STEP NTSN XFOO XRAT DENI RAT rate";
    for (const code of others.split(" "))
      for (const leap of [0, 3]) {
        const fields = { leap, stratum: 0, refid: code.padEnd(4, "\0") };
        assert.deepEqual(decode(fields), { kind: "bad", reason: "unsynchronised" }, code);
      }
  });
});

describe("the era of a time", () => {
  const secondsOf = (text: string): number => Date.parse(text) / 1_000;
  // The first two from RFC 5905 §6, figure 4, which gives them as era and timestamp.
  for (const [name, timestamp, expected, pivot] of [
    ["31 Dec 1999 in era 0", 3_155_587_200, "1999-12-31T00:00:00Z", "2020-01-01"],
    ["8 Feb 2036, the first whole day of era 1", 63_104, "2036-02-08T00:00:00Z", "2026-11-01"],
    ["the last second of era 0", 4_294_967_295, "2036-02-07T06:28:15Z", "2026-11-01"],
    ["the second second of era 1", 1, "2036-02-07T06:28:17Z", "2026-11-01"],
    ["an era-0 time by a program of era 1", 4_004_121_600, "2026-11-20T00:00:00Z", "2040-01-01"],
    ["1970, from a server without a battery", 2_208_988_800, "1970-01-01T00:00:00Z", "2026-11-01"],
    ["67 years after the build", 1_829_000_000, "2094-01-22T06:01:36Z", "2026-11-01"],
    ["the same timestamp in era 2", 63_104, "2172-03-16T06:28:16Z", "2172-01-01"],
  ] as const)
    it(`puts ${name} at ${expected}`, () => {
      const time = BigInt(timestamp) << 32n;
      const { transmitSeconds } = replyOf({ receive: time, transmit: time }, secondsOf(pivot));
      assert.equal(transmitSeconds, secondsOf(expected));
    });

  it("is one for both times of a packet that was held across the end of an era", () => {
    const reply = replyOf({ receive: 0xffff_ffff_8000_0000n, transmit: 0x0000_0000_8000_0000n });
    assert.deepEqual(
      [reply.receiveSeconds, reply.transmitSeconds, reply.heldSeconds],
      [secondsOf("2036-02-07T06:28:15.500Z"), secondsOf("2036-02-07T06:28:16.500Z"), 1],
    );
  });
});
