import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { runs } from "../../../lab/basics/counts.ts";
import { encode, type ReplyFields, rightReply } from "../../../lab/host/hostile-time-server.ts";
import { encodeRequest } from "../../../src/clock/ntp/ntp-packet.ts";
import { type ProtectedRequest, protect } from "../../../src/clock/nts/protected-packets.ts";
import { open, seal } from "../../../src/clock/nts/siv.ts";

const hex = (value: Uint8Array | string): string =>
  typeof value === "string" ? value : Buffer.from(value).toString("hex");

const types = { uniqueIdentifier: 0x0104, cookie: 0x0204, placeholder: 0x0304, authenticator: 0x0404 };
const c2s = randomBytes(32);
const s2c = randomBytes(32);
const cookie = randomBytes(100);
const request = encodeRequest(randomBytes(8));

const asked = (placeholders = 0): ProtectedRequest =>
  protect(request, { cookie, c2s, s2c, placeholders, random: randomBytes });
const identifierOf = ({ packet }: ProtectedRequest): Uint8Array => packet.subarray(52, 84);

/** An extension field of RFC 7822 §2, written here without the code under test. */
function field(type: number, content: Uint8Array): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(4 + content.length, 2);
  return Buffer.concat([head, content]);
}

const padding = (length: number): Buffer => Buffer.alloc((4 - (length % 4)) % 4);

interface Sealing {
  key?: Uint8Array;
  nonce?: Uint8Array;
  /** Bytes behind the ciphertext (RFC 8915 §5.6). */
  additional?: number;
}

/** The authenticator that the server puts behind `authenticated`, with these fields encrypted. */
function authenticator(
  authenticated: Uint8Array,
  encrypted: readonly Uint8Array[],
  { key = s2c, nonce = randomBytes(16), additional = 0 }: Sealing = {},
): Buffer {
  const sealed = seal(key, [authenticated, nonce], Buffer.concat(encrypted));
  const lengths = Buffer.alloc(4);
  lengths.writeUInt16BE(nonce.length, 0);
  lengths.writeUInt16BE(sealed.length, 2);
  const parts = [
    lengths,
    nonce,
    padding(nonce.length),
    sealed,
    padding(sealed.length),
    Buffer.alloc(additional),
  ];
  return field(types.authenticator, Buffer.concat(parts));
}

const header = (fields: Partial<ReplyFields> = {}): Buffer => encode({ ...rightReply(request), ...fields });
const identifierField = (of: ProtectedRequest): Buffer => field(types.uniqueIdentifier, identifierOf(of));
const cookieField = (byte: number, length = 100): Buffer => field(types.cookie, Buffer.alloc(length, byte));

/** The right reply to a request. */
function replyTo(
  of: ProtectedRequest,
  encrypted: readonly Uint8Array[] = [cookieField(1)],
  how?: Sealing,
): Buffer {
  const authenticated = Buffer.concat([header(), identifierField(of)]);
  return Buffer.concat([authenticated, authenticator(authenticated, encrypted, how)]);
}

describe("a protected request", () => {
  it("has unique identifier, cookie, placeholders and authenticator, in this order, under the key to the server", () => {
    const { packet } = asked(2);
    const [identifier, sent, first, second, authentic] = [
      [48, 84, types.uniqueIdentifier],
      [84, 188, types.cookie],
      [188, 292, types.placeholder],
      [292, 396, types.placeholder],
      [396, 436, types.authenticator],
    ].map(([from = 0, to = 0, type = 0]) => {
      assert.equal(
        hex(packet.subarray(from, from + 4)),
        hex(field(type, new Uint8Array(to - from - 4)).subarray(0, 4)),
      );
      return packet.subarray(from + 4, to);
    });
    assert.equal(packet.length, 436);
    assert.equal(hex(packet.subarray(0, 48)), hex(request));
    assert.equal(identifier?.length, 32);
    assert.equal(hex(sent ?? ""), hex(cookie));
    assert.ok(first?.every((byte) => byte === 0) && second?.every((byte) => byte === 0));
    const [lengths, nonce, sealed] = [
      authentic?.subarray(0, 4),
      authentic?.subarray(4, 20),
      authentic?.subarray(20),
    ];
    assert.equal(hex(lengths ?? ""), "00100010");
    assert.ok(nonce && sealed && open(c2s, [packet.subarray(0, 396), nonce], sealed)?.length === 0);
  });

  it("is different each time but for the cookie", () => {
    const packets = [asked(), asked(), asked()].map(({ packet }) => packet);
    for (const [from, to] of [
      [52, 84],
      [196, 212],
      [212, 228],
    ])
      assert.equal(new Set(packets.map((packet) => hex(packet.subarray(from, to)))).size, 3);
  });

  it("asks for no more cookies than the least datagram of IPv6 has room for", () => {
    for (const [length, placeholders, expected] of [
      [100, 0, 228],
      [100, 7, 228 + 7 * 104],
      [100, 1_000, 228 + 7 * 104],
      // 1,232 bytes hold 48 + 36 + 40 and five times 4 + 200.
      [200, 7, 124 + 5 * 204],
      [1_024, 7, 1_152],
    ] as const) {
      const made = protect(request, {
        cookie: Buffer.alloc(length),
        c2s,
        s2c,
        placeholders,
        random: randomBytes,
      });
      assert.equal(made.packet.length, expected, `${placeholders} of ${length} bytes`);
    }
  });
});

describe("packets of ntpd-rs and a public server, captured by others", () => {
  const read = readFileSync(join(import.meta.dirname, "../../vectors/nts/captured.json"), "utf8");
  const captured = JSON.parse(read) as Record<"client" | "server", { key: string; packet: string }>;
  const [client, server] = [captured.client, captured.server].map(({ key, packet }) => ({
    key: Buffer.from(key, "hex"),
    packet: Buffer.from(packet, "hex"),
  }));
  assert.ok(client && server);
  // Their key has 64 bytes: AEAD_AES_SIV_CMAC_512, which is the same but for AES-256.
  const drawn = [client.packet.subarray(52, 84), client.packet.subarray(264, 280)];
  const again = (): ProtectedRequest => {
    const [identifier, nonce] = drawn;
    return protect(client.packet.subarray(0, 48), {
      cookie: client.packet.subarray(88, 256),
      ...{ c2s: client.key, s2c: server.key, placeholders: 0 },
      random: (bytes) => (bytes === 32 ? identifier : nonce) ?? Buffer.alloc(0),
    });
  };

  it("are what this client would have sent, byte for byte", () => {
    assert.equal(hex(again().packet), hex(client.packet));
  });

  it("are opened: the time of server TMNL, and one cookie", () => {
    const sent = again();
    assert.equal(hex(sent.open(server.packet)), hex(server.packet.subarray(0, 48)));
    assert.deepEqual(
      sent.cookies().map(({ length }) => length),
      [168],
    );
  });

  it("are not opened with any bit flipped", () => {
    const sent = again();
    for (let bit = 0; bit < server.packet.length * 8; bit += 1) {
      const flipped: Buffer = Buffer.from(server.packet);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      assert.equal(sent.open(flipped), "not_authentic", `bit ${bit}`);
    }
    assert.deepEqual(sent.cookies(), []);
  });
});

describe("an authentic reply", () => {
  it("gives its header and the cookies that were encrypted", () => {
    const sent = asked(1);
    const reply = replyTo(sent, [cookieField(1), cookieField(2)]);
    assert.equal(hex(sent.open(reply)), hex(reply.subarray(0, 48)));
    assert.deepEqual(sent.cookies().map(hex), ["01".repeat(100), "02".repeat(100)]);
  });

  it("gives no cookie that was not encrypted, before the authenticator or behind it", () => {
    const sent = asked();
    const authenticated = Buffer.concat([header(), identifierField(sent), cookieField(7)]);
    const reply = Buffer.concat([
      authenticated,
      authenticator(authenticated, [cookieField(1)]),
      cookieField(8),
    ]);
    assert.equal(hex(sent.open(reply)), hex(reply.subarray(0, 48)));
    assert.deepEqual(sent.cookies().map(hex), ["01".repeat(100)]);
  });

  it("gives eight cookies at the most, and none that cannot be sent", () => {
    const sent = asked();
    const lengths = [8, 98, ...Array.from({ length: 12 }, () => 100)];
    const encrypted = lengths.map((length) => Buffer.concat([cookieField(1, length), padding(length)]));
    // The length of a field with 98 bytes is no multiple of four.
    assert.equal(sent.open(replyTo(sent, encrypted)), "not_authentic");
    sent.open(replyTo(sent, encrypted.toSpliced(1, 1)));
    assert.deepEqual(
      sent.cookies().map(({ length }) => length),
      Array.from({ length: 8 }, () => 100),
    );
  });

  it("gives the same cookies once, however often it comes", () => {
    const sent = asked();
    const reply = replyTo(sent);
    for (let turn = 0; turn < 3; turn += 1) sent.open(reply);
    assert.equal(sent.cookies().length, 1);
  });

  const lengths = [1, 12, 15, 17, 33, 500];
  for (const length of lengths) {
    it(`may have a nonce of ${length} bytes, and padding behind the ciphertext`, () => {
      const sent = asked();
      for (const additional of [0, 4, 16, 400]) {
        const reply = replyTo(sent, [cookieField(3)], { nonce: randomBytes(length), additional });
        assert.equal(hex(sent.open(reply)), hex(reply.subarray(0, 48)), `${additional} bytes of padding`);
      }
    });
  }

  it("may have other fields before and within the authenticator, and no cookie", () => {
    const sent = asked();
    const authenticated = Buffer.concat([header(), field(0x7777, Buffer.alloc(12)), identifierField(sent)]);
    const reply = Buffer.concat([
      authenticated,
      authenticator(authenticated, [field(0x6666, Buffer.alloc(16))]),
    ]);
    assert.equal(hex(sent.open(reply)), hex(reply.subarray(0, 48)));
    assert.deepEqual(sent.cookies(), []);
  });

  it("may be followed by anything, which is not read", () => {
    const sent = asked();
    const reply = replyTo(sent);
    for (const behind of [
      field(0x7777, Buffer.alloc(28)),
      authenticator(reply, [cookieField(9)]),
      Buffer.alloc(3, 255),
    ]) {
      assert.equal(hex(sent.open(Buffer.concat([reply, behind]))), hex(reply.subarray(0, 48)));
      assert.deepEqual(sent.cookies().map(hex), ["01".repeat(100)]);
    }
  });
});

describe("a reply that is not authentic", () => {
  const sent = asked(1);
  const right = replyTo(sent, [cookieField(1), cookieField(2)]);
  const [head, identifier, behind] = [right.subarray(0, 48), right.subarray(48, 84), right.subarray(84)];
  const refuses = (name: string, reply: () => Uint8Array, reason = "not_authentic"): void => {
    it(`${name}: ${reason}`, () => {
      const once = protect(request, {
        cookie,
        c2s,
        s2c,
        placeholders: 1,
        random: (bytes) => (bytes === 32 ? identifierOf(sent) : randomBytes(bytes)),
      });
      // A copy: nothing is behind its last byte, so that a reader beyond the end throws.
      assert.equal(once.open(Uint8Array.from(reply())), reason);
      assert.deepEqual(once.cookies(), [], "its cookies were taken");
      assert.notEqual(typeof once.open(right), "string", "the right reply is refused as well");
    });
  };

  refuses("plain NTP", () => head);
  refuses("the right reply to the request before", () => replyTo(asked()));
  refuses("sealed with the key of another association", () =>
    replyTo(sent, [cookieField(1)], { key: randomBytes(32) }),
  );
  refuses("sealed with the key to the server", () => replyTo(sent, [cookieField(1)], { key: c2s }));
  refuses("the request itself", () => sent.packet);
  refuses("without its unique identifier", () => Buffer.concat([head, behind]));
  refuses("sealed, without a unique identifier", () => Buffer.concat([head, authenticator(head, [])]));
  refuses("with its unique identifier behind the authenticator", () =>
    Buffer.concat([head, authenticator(head, []), identifier]),
  );
  refuses("with its unique identifier in the authenticator only", () =>
    Buffer.concat([head, authenticator(head, [identifier])]),
  );
  refuses("with a unique identifier that was cut off", () => {
    const authenticated = Buffer.concat([
      head,
      field(types.uniqueIdentifier, identifierOf(sent).subarray(0, 28)),
    ]);
    return Buffer.concat([authenticated, authenticator(authenticated, [])]);
  });
  refuses("without its authenticator", () => Buffer.concat([head, identifier]));
  refuses("with its fields in another order", () => Buffer.concat([head, behind, identifier]));
  refuses("with a field put in", () =>
    Buffer.concat([head, field(0x7777, Buffer.alloc(12)), identifier, behind]),
  );
  refuses("with an authenticator of a stranger's before the right one", () => {
    const authenticated = right.subarray(0, 84);
    return Buffer.concat([authenticated, authenticator(authenticated, [], { key: randomBytes(32) }), behind]);
  });
  refuses("with another header", () => Buffer.concat([header({ stratum: 1 }), identifier, behind]));
  refuses("with the header of a kiss-o'-death", () =>
    Buffer.concat([header({ stratum: 0, refid: "DENY" }), identifier, behind]),
  );
  refuses("with an empty authenticator", () =>
    Buffer.concat([head, identifier, field(types.authenticator, Buffer.alloc(0))]),
  );
  refuses("with an authenticator of zeros", () =>
    Buffer.concat([head, identifier, field(types.authenticator, Buffer.alloc(40))]),
  );
  refuses("whose encrypted fields are not whole", () => replyTo(sent, [cookieField(1), Buffer.alloc(16)]));
  refuses("with a field of no length", () => Buffer.concat([head, Buffer.alloc(4), identifier, behind]));
  refuses("with a field whose length is no multiple of four", () => {
    const odd = Buffer.concat([head, Buffer.from("77770011", "hex"), Buffer.alloc(13), identifier]);
    return Buffer.concat([odd, authenticator(odd, [])]);
  });
  for (const length of [0, 1, 47]) refuses(`of ${length} bytes`, () => right.subarray(0, length), "short");

  it("by one bit, anywhere", () => {
    for (let bit = 0; bit < right.length * 8; bit += 1) {
      const flipped = Buffer.from(right);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      assert.equal(sent.open(flipped), "not_authentic", `bit ${bit}`);
    }
  });

  it("as it is cut off, anywhere", () => {
    for (let length = 48; length < right.length; length += 1)
      assert.equal(sent.open(right.subarray(0, length)), "not_authentic", `${length} bytes`);
  });
});

describe("a negative acknowledgement (NTSN)", () => {
  const sent = asked();
  const nak = (fields: Partial<ReplyFields> = {}): Buffer =>
    header({ leap: 3, stratum: 0, refid: "NTSN", ...fields });

  it("with our unique identifier and origin says that the cookie is not known", () => {
    assert.equal(sent.open(Buffer.concat([nak(), identifierField(sent)])), "nts_nak");
  });

  const ignored: [string, Buffer][] = [
    ["without a unique identifier", nak()],
    ["with another unique identifier", Buffer.concat([nak(), identifierField(asked())])],
    ["with another origin", Buffer.concat([nak({ origin: randomBytes(8) }), identifierField(sent)])],
    ["with no origin", Buffer.concat([nak({ origin: new Uint8Array(8) }), identifierField(sent)])],
    ["at stratum 1", Buffer.concat([nak({ stratum: 1 }), identifierField(sent)])],
    ["that is another kiss", Buffer.concat([nak({ refid: "DENY" }), identifierField(sent)])],
  ];
  for (const [name, packet] of ignored)
    it(`${name} says nothing`, () => assert.equal(sent.open(packet), "not_authentic"));
});

describe("any bytes from the network, behind the header of a reply", () => {
  const sent = asked();
  const right = replyTo(sent);
  const anyLength = fc.uint8Array({ maxLength: 60 });
  const wholeWords = fc.nat(20).map((words) => new Uint8Array(words * 4));
  const anyField = fc
    .tuple(fc.constantFrom(...Object.values(types), 0, 0x7777), fc.oneof(anyLength, wholeWords, wholeWords))
    .map(([type, content]) => field(type, content));
  const hostile = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc
      .array(anyField, { maxLength: 8 })
      .map((fields) => Buffer.concat([header(), identifierField(sent), ...fields])),
    fc
      .array(fc.tuple(fc.nat(right.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 })
      .map((changes) =>
        changes.reduce((packet, [at, value]) => packet.with(at, value), Uint8Array.from(right)),
      ),
  );

  it("are read without throwing, and are never believed", () => {
    fc.assert(
      fc.property(hostile, (bytes) => {
        const opened = sent.open(bytes);
        if (hex(bytes) === hex(right)) return;
        assert.match(typeof opened === "string" ? opened : "believed", /^(short|not_authentic|nts_nak)$/);
      }),
      runs({ usual: 5_000, all: 50_000 }),
    );
  });

  it("sealed by the server itself are read without throwing, and its cookies are within their bounds", () => {
    let taken = 0;
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 200 }),
          fc.array(anyField).map((all) => Buffer.concat(all)),
        ),
        (text) => {
          const own = asked();
          const opened = own.open(replyTo(own, [text]));
          assert.ok(typeof opened !== "string" || opened === "not_authentic");
          taken += own.cookies().length;
          assert.ok(own.cookies().length <= 8);
          for (const { length } of own.cookies())
            assert.ok(length >= 12 && length <= 1_024 && length % 4 === 0);
        },
      ),
      runs({ usual: 500, all: 5_000 }),
    );
    assert.ok(taken > 0, "no cookie was taken");
  });
});
