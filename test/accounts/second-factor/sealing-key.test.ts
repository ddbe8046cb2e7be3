import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import { temporaryDocument } from "../../../lab/simulated/virtual-host.ts";
import { resealed } from "../../../src/accounts/second-factor/reseal.ts";
import { createSeal } from "../../../src/accounts/second-factor/seal.ts";
import { createSealingKeyTrouble } from "../../../src/accounts/second-factor/sealing-key.ts";
import { type Account, accountsKind } from "../../../src/accounts/users/account.ts";
import { createAccounts } from "../../../src/accounts/users/accounts.ts";
import { createPasswords } from "../../../src/accounts/users/passwords.ts";
import { finding } from "../../../src/contract/finding.ts";

const key = createHash("sha256").update("a key").digest();
const otherKey = createHash("sha256").update("another key").digest();
const path = "/etc/steward/seal.key";

/** Accounts on the disk, each with the secret that is given, or without a factor. */
async function device(sealedSecrets: readonly (string | null)[], keys: readonly Uint8Array[]) {
  const document = await temporaryDocument(accountsKind);
  const seal = createSeal(keys);
  const accounts = createAccounts({
    document,
    passwords: createPasswords({ isKnownClient: () => true }),
    checkPassword: async () => undefined,
    lockOf: () => null,
    hasLocks: () => false,
    countTokens: () => () => 0,
    ...{ hasKey: seal.hasKey, isSignedIn: () => false, issuer: null },
    now: () => new Date(0),
  });
  const password_hash = `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(22)}$${"A".repeat(43)}`;
  const made = sealedSecrets.map(
    (sealed_secret, index): Account => ({
      id: `usr_${String(index).padStart(32, "0")}`,
      username: `user${index}`,
      display_name: "",
      role: "admin",
      enabled: true,
      password_hash,
      password_state: "chosen",
      two_factor:
        sealed_secret === null ? null : { sealed_secret, enrolled_at: accountTime, recovery_hashes: [] },
      provider: null,
      last_login_at: null,
      created_at: accountTime,
      updated_at: accountTime,
    }),
  );
  await document.update(() => ({ accounts: made }));
  const trouble = (unusable: string | null = null) =>
    createSealingKeyTrouble({ users: () => document.read(), seal, unusable, path });
  return { accounts, trouble, ids: made.map(({ id }) => id) };
}

const accountTime = "2026-11-20T12:00:00.000Z";
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
    assert.match(said, /2 users are concerned/);
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
    assert.match(said, /\([0-9a-f]{16}\).* 2 users are concerned.* one is hidden by a damaged secret/);
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
  const account = (id: string, sealed_secret: string | null) =>
    ({
      id,
      two_factor: sealed_secret && { sealed_secret, enrolled_at: accountTime, recovery_hashes: ["h"] },
    }) as unknown as Account;
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
