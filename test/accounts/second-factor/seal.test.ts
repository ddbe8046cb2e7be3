import assert from "node:assert/strict";
import { createDecipheriv, createHash, randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createSeal } from "../../../src/accounts/second-factor/seal.ts";
import { StewardError } from "../../../src/contract/errors.ts";

const key = createHash("sha256").update("a key").digest();
const formerKey = createHash("sha256").update("the key before").digest();
const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const record = "usr_0123456789abcdef0123456789abcdef";

function refused(work: () => unknown, words: RegExp = /./): void {
  assert.throws(work, (error) => {
    assert.equal(error instanceof StewardError && error.code, "second_factor_unavailable", String(error));
    assert.equal(error instanceof StewardError && error.status, 503);
    assert.match(String(error), words);
    assert.match(String(error), /recovery code.*steward user rescue/);
    assert.ok(!String(error).includes(secret), "the message holds the secret");
    return true;
  });
}

describe("a sealed secret", () => {
  const seal = createSeal([key]);

  it("opens for its record", () => assert.equal(seal.open(seal.seal(secret, record), record), secret));

  it("shows neither secret nor record, and differs each time", () => {
    const sealed = Array.from({ length: 1_000 }, () => seal.seal(secret, record));
    assert.equal(new Set(sealed).size, 1_000);
    for (const one of sealed) {
      assert.match(one, /^v1\.[0-9a-f]{16}\.[A-Za-z0-9_-]{80}$/);
      const bytes = Buffer.from(one.split(".")[2] ?? "", "base64url").toString("latin1");
      assert.ok(!bytes.includes(secret.slice(0, 4)) && !bytes.includes(record), one);
    }
  });

  it("is AES-256-GCM with nonce, ciphertext and 128-bit tag, bound to form, key and record", () => {
    const [, keyId = "", encoded = ""] = seal.seal(secret, record).split(".");
    const bytes = Buffer.from(encoded, "base64url");
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12))
      .setAAD(Buffer.from(`steward seal v1\0${keyId}\0${record}`))
      .setAuthTag(bytes.subarray(-16));
    const opened = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
    assert.equal(opened.toString(), secret);
  });

  it("says which key it wants by a hash, of which no key can be made", () => {
    const expected = createHash("sha256")
      .update("steward seal key 1\0")
      .update(key)
      .digest("hex")
      .slice(0, 16);
    assert.equal(seal.seal(secret, record).split(".")[1], expected);
  });

  it("of any text and record opens to the same text", () => {
    const text = fc.string({ unit: "grapheme" });
    fc.assert(fc.property(text, text, (one, id) => assert.equal(seal.open(seal.seal(one, id), id), one)));
  });
});

describe("a sealed secret is refused", () => {
  const seal = createSeal([key]);
  const sealed = seal.seal(secret, record);

  it("for another record: a secret copied to another account opens nothing", () => {
    for (const other of ["usr_1123456789abcdef0123456789abcdef", `${record}\0`, "", record.toUpperCase()]) {
      refused(() => seal.open(sealed, other), /altered or belongs to another record/);
    }
  });

  it("with any character of it changed into any other", () => {
    const characters = "0fAZ_-.+/= v\n\u00e9".split("");
    let tried = 0;
    for (let index = 0; index < sealed.length; index += 1) {
      for (const character of characters) {
        if (sealed[index] === character) continue;
        refused(() => seal.open(sealed.slice(0, index) + character + sealed.slice(index + 1), record));
        tried += 1;
      }
    }
    assert.ok(tried > 1_000, `${tried}`);
  });

  it("cut short anywhere, also in its tag, or made longer", () => {
    for (let length = 0; length < sealed.length; length += 1)
      refused(() => seal.open(sealed.slice(0, length), record));
    for (const more of ["A", "AA", "AAAA", "=", ".", "\n", " "]) {
      refused(() => seal.open(sealed + more, record));
      refused(() => seal.open(more + sealed, record));
    }
  });

  it("in another spelling of the same bytes", () => {
    // A text whose last base64url character carries bits that mean nothing.
    const odd = seal.seal("odd", record);
    const symbols = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const last = symbols.indexOf(odd.at(-1) ?? "");
    const respelled = odd.slice(0, -1) + symbols[last + 1];
    const bytesOf = (text: string) => Buffer.from(text.split(".")[2] ?? "", "base64url");
    assert.deepEqual(bytesOf(respelled), bytesOf(odd), "the spelling is no other of the same bytes");
    refused(() => seal.open(respelled, record), /damaged/);
  });

  it("without its key, which is named", () => {
    const keyId = sealed.split(".")[1] ?? "";
    refused(
      () => createSeal([formerKey]).open(sealed, record),
      new RegExp(`the key ${keyId}, which this device`),
    );
    refused(() => createSeal([]).open(sealed, record), /does not have/);
  });

  it("under a key that only bears the name of its own", () => {
    const foreign = createSeal([formerKey]).seal(secret, record).split(".");
    refused(() => seal.open(["v1", sealed.split(".")[1], foreign[2]].join("."), record), /altered/);
  });
});

describe("several keys", () => {
  it("open what any of them sealed; the first seals", () => {
    const former = createSeal([formerKey]).seal(secret, record);
    const both = createSeal([key, formerKey]);
    assert.equal(both.open(former, record), secret);
    assert.equal(createSeal([key]).open(both.seal(secret, record), record), secret);
  });

  it("may be none: then nothing is sealed", () => {
    refused(() => createSeal([]).seal(secret, record), /no key to seal/);
  });

  it("of another length are a mistake in the program", () => {
    for (const length of [0, 16, 31, 33, 64])
      assert.throws(() => createSeal([randomBytes(length)]), RangeError);
  });
});
