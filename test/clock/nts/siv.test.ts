import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, it } from "node:test";
import { createChance } from "../../../lab/basics/chance.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { draw, randomBytes } from "../../../lab/fuzz/draw.ts";
import { compiled } from "../../../lab/host/compiled.ts";
import { open, seal } from "../../../src/clock/nts/siv.ts";

const bytes = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ""), "hex");
const hex = (value: Uint8Array): string => Buffer.from(value).toString("hex");

interface Sealed {
  readonly name: string;
  readonly key: Buffer;
  readonly associated: readonly Buffer[];
  readonly plaintext: Buffer;
  readonly sealed: string;
}

const vectors: readonly Sealed[] = [
  {
    name: "RFC 5297 A.1, deterministic",
    key: bytes("fffefdfc fbfaf9f8 f7f6f5f4 f3f2f1f0 f0f1f2f3 f4f5f6f7 f8f9fafb fcfdfeff"),
    associated: [bytes("10111213 14151617 18191a1b 1c1d1e1f 20212223 24252627")],
    plaintext: bytes("11223344 55667788 99aabbcc ddee"),
    sealed: "85632d07c6e8f37f950acd320a2ecc93" + "40c02b9690c4dc04daef7f6afe5c",
  },
  {
    name: "RFC 5297 A.2, with a nonce",
    key: bytes("7f7e7d7c 7b7a7978 77767574 73727170 40414243 44454647 48494a4b 4c4d4e4f"),
    associated: [
      bytes("00112233 44556677 8899aabb ccddeeff deaddada deaddada ffeeddcc bbaa9988 77665544 33221100"),
      bytes("10203040 50607080 90a0"),
      bytes("09f91102 9d74e35b d84156c5 635688c0"),
    ],
    plaintext: Buffer.from("this is some plaintext to encrypt using SIV-AES"),
    sealed:
      "7bdb6e3b432667eb06f4d14bff2fbd0f" +
      "cb900f2fddbe404326601965c889bf17dba77ceb094fa663b7a3f748ba8af829ea64ad544a272e9c485b62a3fd5c0d",
  },
];

describe("AES-SIV", () => {
  for (const { name, key, associated, plaintext, sealed } of vectors) {
    it(`seals and opens as ${name}`, () => {
      assert.equal(hex(seal(key, associated, plaintext)), sealed);
      assert.equal(hex(open(key, associated, bytes(sealed)) ?? Buffer.from("ff")), hex(plaintext));
    });

    it(`opens nothing of which a bit was flipped, a part cut off, or which is longer (${name})`, () => {
      const sealedBytes = bytes(sealed);
      for (const part of [...associated, sealedBytes, key])
        for (let bit = 0; bit < part.length * 8; bit += 1) {
          const flip = (): void => {
            part[bit >> 3] = (part[bit >> 3] ?? 0) ^ (1 << (bit & 7));
          };
          flip();
          assert.equal(open(key, associated, sealedBytes), null, `bit ${bit} of ${part.length} bytes`);
          flip();
        }
      for (let length = 0; length < sealedBytes.length; length += 1)
        assert.equal(open(key, associated, sealedBytes.subarray(0, length)), null, `${length} bytes`);
      assert.equal(open(key, associated, Buffer.concat([sealedBytes, Buffer.alloc(1)])), null);
      assert.notEqual(open(key, associated, sealedBytes), null);
    });
  }

  it("opens nothing whose components have changed places", () => {
    const [key, first, second] = [Buffer.alloc(32, 1), Buffer.from("a"), Buffer.from("b")];
    const sealed = seal(key, [first, second], Buffer.from("text"));
    assert.equal(open(key, [second, first], sealed), null);
    assert.equal(open(key, [Buffer.from("ab")], sealed), null);
    assert.notEqual(open(key, [first, second], sealed), null);
  });

  it("refuses a key of another length", () => {
    for (const length of [0, 16, 31, 33]) {
      assert.throws(() => seal(Buffer.alloc(length), [], Buffer.from("text")), /key|cipher/i);
      assert.throws(() => open(Buffer.alloc(length), [], Buffer.alloc(20)), /key|cipher/i);
    }
  });

  it("seals five hundred random texts as OpenSSL does, and opens them", () => {
    const chance = createChance(5297);
    const cases = Array.from({ length: 500 }, (_, index) => ({
      key: randomBytes(chance, 32),
      associated: [randomBytes(chance, 1 + draw(chance, 300)), randomBytes(chance, 16)],
      // Each length up to three blocks, whose ends are where the algorithm turns, and then any. OpenSSL 3.0 refuses to seal
      // an empty text, as a request has it: packets of other programs judge that.
      plaintext: randomBytes(chance, index < 48 ? index + 1 : draw(chance, 1_000) + 1),
    }));
    const lines = cases.map(({ key, associated, plaintext }) =>
      [key, ...associated, plaintext].map((part) => `${hex(part)},`).join(""),
    );
    const flags = ["-Wl,--no-as-needed", "-l:libcrypto.so.3"];
    const program = compiled("seal-with-openssl.c", scratchDirectory(), flags);
    const answers = execFileSync(program, { input: `${lines.join("\n")}\n`, encoding: "utf8" });
    const expected = answers.trim().split("\n");
    assert.equal(expected.length, cases.length);
    cases.forEach(({ key, associated, plaintext }, index) => {
      assert.equal(hex(seal(key, associated, plaintext)), expected[index], `case ${index}`);
      const found = hex(open(key, associated, bytes(expected[index] ?? "")) ?? Buffer.from("none"));
      assert.equal(found, hex(plaintext));
    });
  });
});
