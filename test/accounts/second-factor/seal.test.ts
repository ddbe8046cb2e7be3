import assert from "node:assert/strict";
import { createDecipheriv, createHash, randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import fc from "fast-check";
import { resealed } from "../../../src/accounts/second-factor/reseal.ts";
import { createSeal } from "../../../src/accounts/second-factor/seal.ts";
import { createSealingKeyTrouble } from "../../../src/accounts/second-factor/sealing-key.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import { finding } from "../../../src/contract/finding.ts";
import { accountOf, accountsOver } from "../users/accounts-over.ts";

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

const otherKey = createHash("sha256").update("another key").digest();
const path = "/etc/steward/seal.key";

const factor = (sealed_secret: string) => ({
  two_factor: { sealed_secret, enrolled_at: "2026-11-20T12:00:00.000Z", recovery_hashes: ["h"] },
});

/** Accounts on the disk, each with the secret that is given, or without a factor. */
async function device(sealedSecrets: readonly (string | null)[], keys: readonly Uint8Array[]) {
  const seal = createSeal(keys);
  const made = sealedSecrets.map((sealed, index) =>
    accountOf(`user${index}`, sealed === null ? {} : factor(sealed)),
  );
  const { accounts, document } = await accountsOver(made, { hasKey: seal.hasKey });
  const trouble = (unusable: string | null = null) =>
    createSealingKeyTrouble({ users: () => document.read(), seal, unusable, path });
  return { accounts, trouble, ids: made.map(({ id }) => id) };
}

const sealedWith = (one: Uint8Array) => createSeal([one]).seal("GEZDGNBVGY3TQOJQ", "usr_1");

describe("the sealing key's health", () => {
  it("is well without a second factor, and while every secret's key is there, the first or a former one", async () => {
    assert.equal((await device([null], [otherKey])).trouble()(), null);
    const both = await device([sealedWith(key), sealedWith(otherKey)], [otherKey, key]);
    assert.equal(both.trouble()(), null);
  });

  it("says how many users another key was theirs, which it is, and what to do", async () => {
    const lost = await device([sealedWith(key), null, sealedWith(otherKey), sealedWith(key)], [otherKey]);
    const { detail: said = "", code, facts: found } = lost.trouble()() ?? {};
    const keys = [sealedWith(key).split(".")[1]];
    assert.match(said, /2 users are affected/);
    const id = sealedWith(key).split(".")[1] ?? "";
    assert.ok(said.includes(`(${id})`), said);
    const facts = { users: 2, path: "/etc/steward/seal.key", keys };
    assert.deepEqual([code, found], ["sealing_key_missing", facts]);
    assert.match(
      said,
      /\/etc\/steward\/seal\.key.*restart.*chown root:steward.*credential.*user rescue NAME/,
    );
  });

  it("names three of them, each once, where there are more", async () => {
    const keys = [1, 2, 3, 4].map((number) => createHash("sha256").update(`key ${number}`).digest());
    const secrets = [...keys, ...keys].map(sealedWith);
    const ids = secrets.map((sealed) => sealed.split(".")[1] ?? "");
    const told = (count: number) => async () => (await device(secrets.slice(0, count), [key])).trouble()();
    const three = await told(3)();
    assert.ok(three?.detail.includes(`(${ids.slice(0, 3).join(", ")})`), three?.detail);
    const all = await told(8)();
    assert.ok(all?.detail.includes(`(${ids.slice(0, 3).join(", ")} and others)`), all?.detail);
    assert.deepEqual(all?.facts, { users: 8, path, keys: ids.slice(0, 4) });
  });
  it("counts a secret that is damaged, and names no key for it", async () => {
    const said = (await device(["v1.damaged", sealedWith(key)], [otherKey])).trouble()()?.detail ?? "";
    assert.match(said, /\([0-9a-f]{16}\).* 2 users are affected.* one is hidden by a damaged secret/);
  });

  it("says of a key that cannot be used how many it concerns", async () => {
    const unreadable = await device([sealedWith(key)], []);
    const found = unreadable.trouble("The key cannot be read.")()?.detail ?? "";
    assert.match(found, / cannot be used\. 1 user is .* The key cannot be read\.$/);
    const unneeded = await device([null], []);
    const why = "The key cannot be read.";
    const facts = { users: 0, path: "/etc/steward/seal.key" };
    assert.deepEqual(unneeded.trouble(why)(), finding("sealing_key_unusable", facts, why));
  });

  it("marks the users concerned, and no others", async () => {
    const lost = await device([sealedWith(key), null, sealedWith(otherKey)], [otherKey]);
    const marks = lost.ids.map((id) => lost.accounts.get(id).two_factor.sealing_key);
    assert.deepEqual(marks, ["missing", undefined, undefined]);
  });
});

describe("the change of a sealing key", () => {
  const secret = "GEZDGNBVGY3TQOJQ";
  const account = (id: string, sealed: string | null) => accountOf(id, { id, ...(sealed && factor(sealed)) });
  const [former, next] = [key, otherKey];

  it("seals anew what the former key sealed, and leaves the rest as it is", () => {
    const foreign = createSeal([createHash("sha256").update("a third").digest()]).seal(secret, "usr_3");
    const damaged = createSeal([former]).seal(secret, "usr_of_another");
    const accounts = [
      account("usr_1", createSeal([former]).seal(secret, "usr_1")),
      ...[account("usr_2", null), account("usr_3", foreign), account("usr_4", damaged)],
      account("usr_5", createSeal([next]).seal(secret, "usr_5")),
      account("usr_6", createSeal([former]).seal("JBSWY3DPEHPK3PXP", "usr_6")),
    ];
    const { state, count } = resealed({ accounts }, { former, next });
    assert.equal(count, 2);
    const seal = createSeal([next]);
    const [first, , , , , last] = state.accounts;
    assert.equal(seal.open(first?.two_factor?.sealed_secret ?? "", "usr_1"), secret);
    assert.equal(seal.open(last?.two_factor?.sealed_secret ?? "", "usr_6"), "JBSWY3DPEHPK3PXP");
    assert.deepEqual(first?.two_factor?.recovery_hashes, ["h"]);
    assert.deepEqual(state.accounts.slice(1, 5), accounts.slice(1, 5));
  });
  it("writes nothing where that key has sealed nothing", () => {
    const state = { accounts: [account("usr_2", null)] };
    assert.deepEqual(resealed(state, { former, next }), { state, count: 0 });
    assert.equal(resealed(state, { former, next }).state, state);
  });
});
