import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createPasswords, makeInitialPassword } from "../../../src/accounts/users/passwords.ts";
import { StewardError } from "../../../src/contract/errors.ts";

/** argon2id of "correct horse battery staple", made by the reference implementation's command `argon2`. */
const fromElsewhere =
  "$argon2id$v=19$m=4096,t=3,p=1$c29tZXNhbHQxMjM0NTY$H9Yk2gRR7Z+3GUqg2CIyUUoQqbtEPM2aZKlZyzsO0Ck";

describe("passwords", () => {
  const passwords = createPasswords({ isKnownClient: () => false });

  it("are hashed with argon2id at 19 MiB, 2 passes, 1 lane, each with its own salt", async () => {
    const [first, second] = [await passwords.hash("one", null), await passwords.hash("one", null)];
    assert.match(first, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    assert.notEqual(first, second);
    assert.equal(await passwords.verify(first, "one", null), true);
    assert.equal(await passwords.verify(first, "One", null), false);
  });

  it("are compared after NFKC, so that two keyboards agree, and else as they were typed", async () => {
    const hash = await passwords.hash("caf\u00e9 au lait, s'il vous pla\u00eet", null);
    for (const other of [
      "Caf\u00e9 au lait, s'il vous pla\u00eet",
      "caf\u00e9 au lait, s'il vous pla\u00eet ",
    ])
      assert.equal(await passwords.verify(hash, other, null), false, other);
    assert.equal(await passwords.verify(hash, "cafe\u0301 au lait, s'il vous plai\u0302t", null), true);
  });

  it("of an unknown user are false", async () => {
    assert.equal(await passwords.verify(null, "anything", null), false);
  });

  it("are hashed again where the hash is weaker, or more than twice as costly", async () => {
    const own = await passwords.hash("one", null);
    const at = (memory: number, passes: number) => own.replace(/m=\d+,t=\d+/, `m=${memory},t=${passes}`);
    const [, memory = 0, passes = 0] = (/m=(\d+),t=(\d+)/.exec(own) ?? []).map(Number);
    const again = [
      fromElsewhere,
      at(memory - 1, passes),
      at(2 * memory + 1, passes),
      at(memory, 2 * passes + 1),
    ];
    for (const hash of again) assert.equal(passwords.needsRehash(hash), true, hash);
    for (const hash of [own, at(2 * memory, passes), at(memory, 2 * passes)])
      assert.equal(passwords.needsRehash(hash), false, hash);
  });

  it("made for one use carry 100 bits in four groups", () => {
    const made = new Set(Array.from({ length: 100 }, makeInitialPassword));
    assert.equal(made.size, 100);
    for (const one of made) assert.match(one, /^([0-9a-hjkmnp-tv-z]{5}-){3}[0-9a-hjkmnp-tv-z]{5}$/);
  });
});

describe("the queue for hashing", () => {
  const codeOf = (result: PromiseSettledResult<unknown>) =>
    result.status === "fulfilled" ? "ok" : result.reason instanceof StewardError && result.reason.code;

  it("lets a clientKey have one running and one waiting", async () => {
    const passwords = createPasswords({ isKnownClient: () => false });
    const tries = Array.from({ length: 4 }, () => passwords.hash("one", "192.0.2.1"));
    const codes = (await Promise.allSettled(tries)).map(codeOf);
    assert.deepEqual(codes, ["ok", "ok", "hashing_busy", "hashing_busy"]);
  });

  const strangers = Array.from({ length: 12 }, (_, index) => `192.0.2.${index}`);
  const known = ["198.51.100.1", "198.51.100.2"];
  const isKnownClient = (clientKey: string) => known.includes(clientKey);

  it("lets seven strangers wait, and no stranger more", async () => {
    const passwords = createPasswords({ isKnownClient });
    const codes = (
      await Promise.allSettled(strangers.map((clientKey) => passwords.hash("one", clientKey)))
    ).map(codeOf);
    assert.equal(codes.filter((code) => code === "ok").length, 8);
    assert.equal(codes.filter((code) => code === "hashing_busy").length, 4);
  });

  it("keeps the eighth place for one that has signed in before (a flood locks no user out)", async () => {
    const passwords = createPasswords({ isKnownClient });
    const flood = Promise.allSettled(strangers.map((clientKey) => passwords.hash("one", clientKey)));
    const later = await Promise.allSettled(known.map((clientKey) => passwords.hash("one", clientKey)));
    assert.deepEqual(later.map(codeOf), ["ok", "hashing_busy"]);
    await flood;
  });

  it("lets four sign in at once from an address that is known, and no more", async () => {
    const passwords = createPasswords({ isKnownClient });
    const tries = Array.from({ length: 5 }, () => passwords.hash("one", known[0] ?? null));
    assert.deepEqual((await Promise.allSettled(tries)).map(codeOf), ["ok", "ok", "ok", "ok", "hashing_busy"]);
  });

  it("never refuses the device itself", async () => {
    const passwords = createPasswords({ isKnownClient: () => false });
    const network = Promise.allSettled(
      Array.from({ length: 12 }, (_, index) => passwords.hash("one", `192.0.2.${index}`)),
    );
    const local = await Promise.allSettled([passwords.hash("two", null), passwords.hash("three", null)]);
    assert.deepEqual(local.map(codeOf), ["ok", "ok"]);
    await network;
  });

  it("goes on after work that failed", async () => {
    const passwords = createPasswords({ isKnownClient: () => false });
    await assert.rejects(passwords.verify("not a hash", "one", null));
    assert.match(await passwords.hash("one", null), /^\$argon2id\$/);
  });
});
