import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { runs } from "../../../lab/basics/counts.ts";
import {
  exportedKeys,
  isWholeKeyExchange,
  type KeyExchange,
  keyExchangeRequest,
  readKeyExchange,
} from "../../../src/clock/nts/key-exchange-messages.ts";

/** A record of RFC 8915 §4, written here without the code under test. */
function record(type: number, body: Uint8Array | number[] | string, isCritical = false): Buffer {
  const content = typeof body === "string" ? Buffer.from(body, "latin1") : Buffer.from(body);
  const head = Buffer.alloc(4);
  head.writeUInt16BE(type + (isCritical ? 0x8000 : 0), 0);
  head.writeUInt16BE(content.length, 2);
  return Buffer.concat([head, content]);
}

const message = (...records: Buffer[]): Buffer => Buffer.concat([...records, record(0, [], true)]);
const whole = (...records: Buffer[]): KeyExchange => readKeyExchange(message(...records));
const protocol = record(1, [0, 0], true);
const algorithm = record(4, [0, 15]);
const cookie = record(5, Buffer.alloc(100, 0xc0));

const agreed = (...others: Buffer[]): KeyExchange => whole(protocol, algorithm, cookie, ...others);
const codeOf = (result: KeyExchange): string =>
  result.kind === "refused" ? result.reason.code : result.kind;
const causeOf = (result: KeyExchange): string | null =>
  result.kind === "refused" ? result.reason.cause : result.kind;

it("asks for NTPv4 with AEAD_AES_SIV_CMAC_256 in critical records, and keys by the labels of RFC 8915 §5.1", () => {
  assert.equal(Buffer.from(keyExchangeRequest()).toString("hex"), "80010002000080040002000f80000000");
  const exported = exportedKeys.map(
    ({ label, context, bytes }) => `${label} ${Buffer.from(context).toString("hex")} ${bytes}`,
  );
  const label = "EXPORTER-network-time-security";
  assert.deepEqual(exported, [`${label} 0000000f00 32`, `${label} 0000000f01 32`]);
});

describe("the answer of a key exchange", () => {
  it("agrees on cookies, which are copied out of a larger buffer, and on the place that was asked", () => {
    const bytes = Buffer.concat([
      Buffer.alloc(5, 0xff),
      message(protocol, algorithm, cookie, record(5, Buffer.alloc(64, 1))),
      Buffer.alloc(7),
    ]);
    const result = readKeyExchange(bytes.subarray(5, bytes.length - 7));
    bytes.fill(0);
    assert.deepEqual(result, {
      kind: "agreed",
      cookies: [Uint8Array.from(Buffer.alloc(100, 0xc0)), Uint8Array.from(Buffer.alloc(64, 1))],
      server: null,
      port: null,
    });
  });

  const servers =
    "ntp.example.net ntp.example.net. 192.0.2.7 2001:db8::7 ::1 a xn--bcher-kva.example ntp_1.example";
  for (const server of [...servers.split(" "), "_ntp._udp.example."])
    it(`may name the server ${server} and a port, beside records that are unknown and not critical`, () => {
      const unknown = [record(1_024, "anything"), record(0x7fff, "")];
      const result = agreed(record(6, server, true), record(7, [0x11, 0x5c], true), ...unknown);
      assert.ok(result.kind === "agreed", causeOf(result) ?? "");
      assert.deepEqual([result.server, result.port], [server, 4_444]);
    });

  it("keeps eight cookies, and none that cannot be sent", () => {
    const many = agreed(...Array.from({ length: 20 }, () => cookie));
    assert.equal(many.kind === "agreed" && many.cookies.length, 8);
    for (const length of [0, 1, 8, 11, 13, 98, 1_028, 4_000]) {
      const odd = record(5, Buffer.alloc(length));
      const none = whole(protocol, algorithm, odd);
      assert.equal(causeOf(none), "the answer has no usable cookie");
      const both = agreed(odd);
      assert.equal(both.kind === "agreed" && both.cookies.length, 1, `${length} bytes`);
    }
  });

  const refused: [string, KeyExchange, RegExp][] = [
    ["error 1", whole(record(2, [0, 1], true)), /1 \(bad request\)/],
    ["an error beside everything else", agreed(record(2, [0, 0], true)), /0 \(unrec/],
    ["an unknown error", agreed(record(2, [1, 0], true)), /256 \(unknown\)/],
    ["an error without a code", agreed(record(2, [])), /error/],
    ["a warning, none of which is defined", agreed(record(3, [0, 7], true)), /warning is 7/],
    ["an unknown critical record", agreed(record(1_024, "", true)), /record 1024/],
    ["no protocol", whole(algorithm, cookie), /NTPv4/],
    ["no protocol in its list", whole(record(1, []), algorithm, cookie), /NTPv4/],
    ["another protocol", whole(record(1, [0, 1]), algorithm, cookie), /NTPv4/],
    ["two protocols", whole(record(1, [0, 0, 0, 1]), algorithm, cookie), /NTPv4/],
    ["its protocol twice", agreed(protocol), /NTPv4/],
    ["no algorithm", whole(protocol, cookie), /AEAD/],
    ["algorithm 30", whole(protocol, record(4, [0, 30]), cookie), /AEAD/],
    ["two algorithms", whole(protocol, record(4, [0, 15, 0, 16]), cookie), /AEAD/],
    ["its algorithm twice", agreed(algorithm), /AEAD/],
    ["no cookie", whole(protocol, algorithm), /cookie/],
  ];
  const notOffered: [string, KeyExchange, RegExp][] = [
    ["two servers", agreed(record(6, "a.example"), record(6, "b.example")), /server/],
    ["an empty server", agreed(record(6, "")), /server/],
    ["a server that clears a terminal", agreed(record(6, "\x1b[2J")), /server/],
    ["a server with a line break", agreed(record(6, "a.example\n")), /server/],
    ["a server with a path", agreed(record(6, "a.example/x")), /server/],
    ["a server of 256 characters", agreed(record(6, "a".repeat(256))), /server/],
    ["two ports", agreed(record(7, [0, 123]), record(7, [0, 124])), /port/],
    ["port 0", agreed(record(7, [0, 0])), /port/],
    ["a port of one byte", agreed(record(7, [123])), /port/],
    ["more", readKeyExchange(Buffer.concat([message(protocol, algorithm, cookie), cookie])), /not a message/],
    ["a page of the web", readKeyExchange(Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n")), /not a message/],
    ["16 KiB", agreed(record(99, Buffer.alloc(16_384))), /too long/],
  ];
  for (const [code, rows] of [
    ["nts_refused", refused],
    ["nts_not_offered", notOffered],
  ] as const)
    for (const [name, result, cause] of rows)
      it(`with ${name} is refused: ${code}`, () => {
        assert.equal(codeOf(result), code);
        assert.match(causeOf(result) ?? "", cause);
      });

  it("is whole at its last byte, and not before", () => {
    const bytes = message(protocol, algorithm, cookie, cookie);
    for (let length = 0; length < bytes.length; length += 1) {
      assert.equal(isWholeKeyExchange(bytes.subarray(0, length)), false, `${length} bytes`);
      assert.equal(codeOf(readKeyExchange(bytes.subarray(0, length))), "nts_not_offered", `${length} bytes`);
    }
    assert.equal(isWholeKeyExchange(bytes), true);
    // An end with a body, of which a part has come.
    assert.equal(isWholeKeyExchange(record(0, [1, 2, 3, 4], true).subarray(0, 6)), false);
    // One without an end is at 16 KiB, so that a server cannot fill the memory.
    const found = [16_384, 16_385].map((length) => isWholeKeyExchange(Buffer.alloc(length, 0x7f)));
    assert.deepEqual(found, [false, true]);
  });
});

describe("any bytes from a server", () => {
  const likely = [[0, 15], [0, 0], Array(100).fill(0)].map((bytes) => fc.constant(Uint8Array.from(bytes)));
  const anyBody = fc.oneof(fc.uint8Array({ maxLength: 130 }), ...likely);
  const anyRecord = fc
    .tuple(fc.nat(9), fc.boolean(), anyBody)
    .map(([type, isCritical, body]) => record(type, body, isCritical));
  const anyMessage = fc.array(anyRecord, { maxLength: 20 }).map((records) => message(protocol, ...records));
  const likelyMessage = fc
    .array(fc.oneof(fc.constant(cookie), anyRecord), { maxLength: 3 })
    .map((records) => message(protocol, algorithm, cookie, ...records));

  it("are read without throwing, and what is agreed on is within its bounds", () => {
    let agreements = 0;
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 300 }), anyMessage, likelyMessage), (bytes) => {
        assert.equal(typeof isWholeKeyExchange(bytes), "boolean");
        const result = readKeyExchange(bytes);
        if (result.kind === "refused") return assert.match(result.reason.cause ?? "", /^[ -~]+$/);
        agreements += 1;
        assert.ok(isWholeKeyExchange(bytes));
        assert.ok(result.cookies.length >= 1 && result.cookies.length <= 8);
        for (const { length } of result.cookies)
          assert.ok(length >= 12 && length <= 1_024 && length % 4 === 0);
        assert.match(result.server ?? "a", /^[0-9A-Za-z.:-]{1,255}$/);
        assert.ok(result.port === null || (result.port >= 1 && result.port <= 65_535));
      }),
      runs({ usual: 5_000, all: 50_000 }),
    );
    assert.ok(agreements > 10, `only ${agreements} were agreed on`);
  });
});
