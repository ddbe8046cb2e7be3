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

/** The authenticator that the server puts behind `authenticated`; `additional`: bytes behind the ciphertext (RFC 8915 §5.6). */
function authenticator(
  authenticated: Uint8Array,
  encrypted: readonly Uint8Array[],
  { key = s2c as Uint8Array, nonce = randomBytes(16), additional = 0 } = {},
): Buffer {
  const sealed = seal(key, [authenticated, nonce], Buffer.concat(encrypted));
  const lengths = Buffer.alloc(4);
  lengths.writeUInt16BE(nonce.length, 0);
  lengths.writeUInt16BE(sealed.length, 2);
  const parts = [lengths, nonce, padding(nonce.length), sealed, padding(sealed.length)];
  return field(types.authenticator, Buffer.concat([...parts, Buffer.alloc(additional)]));
}

const header = (fields: Partial<ReplyFields> = {}): Buffer => encode({ ...rightReply(request), ...fields });
const identifierField = (of: ProtectedRequest): Buffer => field(types.uniqueIdentifier, identifierOf(of));
const cookieField = (byte: number, length = 100): Buffer => field(types.cookie, Buffer.alloc(length, byte));

/** The right reply to a request. */
function replyTo(
  of: ProtectedRequest,
  encrypted: readonly Uint8Array[] = [cookieField(1)],
  how?: Parameters<typeof authenticator>[2],
): Buffer {
  const authenticated = Buffer.concat([header(), identifierField(of)]);
  return Buffer.concat([authenticated, authenticator(authenticated, encrypted, how)]);
}

describe("a protected request", () => {
  it("has unique identifier, cookie, placeholders and authenticator, in this order, under the key to the server", () => {
    const { packet } = asked(2);
    const [text, nonce, sealed] = [hex(packet), packet.subarray(404, 420), packet.subarray(420)];
    const placeholder = `03040068${"00".repeat(100)}`;
    const fields = `01040024(?<identifier>.{64})02040068${hex(cookie)}${placeholder}${placeholder}`;
    assert.match(text, new RegExp(`^${hex(request)}${fields}0404002800100010.{64}$`));
    assert.equal(open(c2s, [packet.subarray(0, 396), nonce], sealed)?.length, 0);
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
      const keys = { c2s, s2c, placeholders, random: randomBytes };
      const made = protect(request, { cookie: Buffer.alloc(length), ...keys });
      assert.equal(made.packet.length, expected, `${placeholders} of ${length} bytes`);
    }
  });
});

it("packets of ntpd-rs and a public server, captured by others, are made byte for byte, and opened", () => {
  const read = readFileSync(join(import.meta.dirname, "../../vectors/nts/captured.json"), "utf8");
  const captured = JSON.parse(read) as Record<"client" | "server", { key: string; packet: string }>;
  // Their key has 64 bytes: AEAD_AES_SIV_CMAC_512, which is the same but for AES-256.
  const bytesOf = ({ key, packet }: { key: string; packet: string }) =>
    [Buffer.from(key, "hex"), Buffer.from(packet, "hex")] as const;
  const [c2s, sent] = bytesOf(captured.client);
  const [s2c, answer] = bytesOf(captured.server);
  const [identifier, nonce] = [sent.subarray(52, 84), sent.subarray(264, 280)];
  const random = (bytes: number) => (bytes === 32 ? identifier : nonce);
  const keys = { cookie: sent.subarray(88, 256), c2s, s2c, placeholders: 0, random };
  const again = protect(sent.subarray(0, 48), keys);
  assert.equal(hex(again.packet), hex(sent));
  // The time of server TMNL, and one cookie.
  assert.equal(hex(again.open(answer)), hex(answer.subarray(0, 48)));
  assert.equal(
    again
      .cookies()
      .map(({ length }) => length)
      .join(),
    "168",
  );
});

describe("an authentic reply", () => {
  it("gives no cookie that was not encrypted, before the authenticator or behind it", () => {
    const sent = asked();
    const authenticated = Buffer.concat([header(), identifierField(sent), cookieField(7)]);
    const reply = Buffer.concat([
      authenticated,
      authenticator(authenticated, [cookieField(1), cookieField(2)]),
      cookieField(8),
    ]);
    assert.equal(hex(sent.open(reply)), hex(reply.subarray(0, 48)));
    assert.deepEqual(sent.cookies().map(hex), ["01".repeat(100), "02".repeat(100)]);
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
      Array(8).fill(100),
    );
  });

  it("may have a nonce of any length, and padding behind the ciphertext; its cookies are taken once", () => {
    for (const length of [1, 12, 15, 17, 33, 500])
      for (const additional of [0, 4, 400]) {
        const sent = asked();
        const reply = replyTo(sent, [cookieField(3)], { nonce: randomBytes(length), additional });
        for (let turn = 0; turn < 2; turn += 1)
          assert.equal(hex(sent.open(reply)), hex(reply.subarray(0, 48)), `${length}, ${additional} bytes`);
        assert.equal(sent.cookies().length, 1);
      }
  });

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
});

describe("a reply that is not authentic", () => {
  const sent = asked(1);
  const right = replyTo(sent, [cookieField(1), cookieField(2)]);
  const [head, identifier, behind] = [right.subarray(0, 48), right.subarray(48, 84), right.subarray(84)];
  /** A reply of these parts, with an authenticator for them behind. */
  const sealed = (...parts: Uint8Array[]) => [...parts, authenticator(Buffer.concat(parts), [])];
  const unfit = Buffer.concat([Buffer.from("77770011", "hex"), Buffer.alloc(13)]);
  const rows: readonly (readonly [name: string, ...parts: Uint8Array[]])[] = [
    ["plain NTP", head],
    ["the right reply to the request before", replyTo(asked())],
    ["sealed with the key of another association", replyTo(sent, [cookieField(1)], { key: randomBytes(32) })],
    ["sealed with the key to the server", replyTo(sent, [cookieField(1)], { key: c2s })],
    ["the request itself", sent.packet],
    ["without its unique identifier", head, behind],
    ["sealed, without a unique identifier", ...sealed(head)],
    ["with its unique identifier behind the authenticator", ...sealed(head), identifier],
    ["with its unique identifier in the authenticator only", head, authenticator(head, [identifier])],
    ["cut identifier", ...sealed(head, field(types.uniqueIdentifier, identifierOf(sent).subarray(0, 28)))],
    ["without its authenticator", head, identifier],
    ["with its fields in another order", head, behind, identifier],
    ["with a field put in", head, field(0x7777, Buffer.alloc(12)), identifier, behind],
    [
      "with a stranger's authenticator before the right one",
      ...[head, identifier],
      authenticator(right.subarray(0, 84), [], { key: randomBytes(32) }),
      behind,
    ],
    ["with another header", header({ stratum: 1 }), identifier, behind],
    ["with the header of a kiss-o'-death", header({ stratum: 0, refid: "DENY" }), identifier, behind],
    ["with an empty authenticator", head, identifier, field(types.authenticator, Buffer.alloc(0))],
    ["with an authenticator of zeros", head, identifier, field(types.authenticator, Buffer.alloc(40))],
    ["whose encrypted fields are not whole", replyTo(sent, [cookieField(1), Buffer.alloc(16)])],
    ["with a field of no length", head, Buffer.alloc(4), identifier, behind],
    ["with a field whose length is no multiple of four", ...sealed(head, unfit, identifier)],
    ...[0, 1, 47].map((length) => [`short, of ${length} bytes`, right.subarray(0, length)] as const),
  ];
  for (const [name, ...parts] of rows)
    it(`is refused: ${name}`, () => {
      const once = protect(request, {
        ...{ cookie, c2s, s2c, placeholders: 1 },
        random: (bytes) => (bytes === 32 ? identifierOf(sent) : randomBytes(bytes)),
      });
      // A copy: nothing is behind its last byte, so that a reader beyond the end throws.
      const reason = once.open(Uint8Array.from(Buffer.concat(parts)));
      assert.equal(reason, name.startsWith("short") ? "short" : "not_authentic");
      assert.deepEqual(once.cookies(), [], "its cookies were taken");
      assert.notEqual(typeof once.open(right), "string", "the right reply is refused as well");
    });
});

describe("a negative acknowledgement (NTSN)", () => {
  const sent = asked();
  const nak = (fields: Partial<ReplyFields> = {}, of: ProtectedRequest | null = sent): Buffer =>
    Buffer.concat([
      header({ leap: 3, stratum: 0, refid: "NTSN", ...fields }),
      ...(of ? [identifierField(of)] : []),
    ]);
  for (const [name, packet, expected] of [
    ["with our unique identifier and origin says that the cookie is not known", nak(), "nts_nak"],
    ["without a unique identifier says nothing", nak({}, null), "not_authentic"],
    ["with another unique identifier says nothing", nak({}, asked()), "not_authentic"],
    ["with another origin says nothing", nak({ origin: randomBytes(8) }), "not_authentic"],
    ["at stratum 1 says nothing", nak({ stratum: 1 }), "not_authentic"],
    ["that is another kiss says nothing", nak({ refid: "DENY" }), "not_authentic"],
  ] as const)
    it(name, () => assert.equal(sent.open(packet), expected));
});

describe("any bytes from the network, behind the header of a reply", () => {
  const sent = asked();
  const right = replyTo(sent);
  const anyLength = fc.uint8Array({ maxLength: 60 });
  const wholeWords = fc.nat(20).map((words) => new Uint8Array(words * 4));
  const anyField = fc
    .tuple(fc.constantFrom(...Object.values(types), 0, 0x7777), fc.oneof(anyLength, wholeWords, wholeWords))
    .map(([type, content]) => field(type, content));
  const anyChange = fc.tuple(fc.nat(right.length - 1), fc.nat(255));
  const changed = (packet: Uint8Array, [at, value]: [number, number]) => packet.with(at, value);
  const ofFields = fc.array(anyField, { maxLength: 8 });
  const hostile = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    ofFields.map((fields) => Buffer.concat([header(), identifierField(sent), ...fields])),
    fc
      .array(anyChange, { minLength: 1, maxLength: 4 })
      .map((changes) => changes.reduce(changed, Uint8Array.from(right))),
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
