import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import { createSeal } from "../../../src/auth/second-factor/seal.ts";
import { createSealingKeyTrouble } from "../../../src/auth/second-factor/sealing-key.ts";
import { type Account, accountsKind } from "../../../src/users/account.ts";
import { createAccounts } from "../../../src/users/accounts.ts";
import { createPasswords } from "../../../src/users/passwords.ts";
import { temporaryDocument } from "../virtual-host.ts";

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
    tokensOf: () => 0,
    hasKey: seal.hasKey,
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
    const { detail: said = "", ...found } = lost.trouble()() ?? {};
    const keys = [sealedWith(key).split(".")[1]];
    assert.match(said, /2 users are concerned/);
    const id = sealedWith(key).split(".")[1] ?? "";
    assert.ok(said.includes(`(${id})`), said);
    const facts = { users: 2, path: "/etc/steward/seal.key", keys };
    assert.deepEqual(found, { code: "sealing_key_missing", facts });
    assert.match(
      said,
      /\/etc\/steward\/seal\.key.*chown root:steward.*credential.*restart.*user rescue NAME/,
    );
  });

  it("counts a secret that is damaged, and names no key for it", async () => {
    const said = (await device(["v1.damaged", sealedWith(key)], [otherKey])).trouble()()?.detail ?? "";
    assert.match(said, /\(one that a damaged secret hides, [0-9a-f]{16}\).* 2 users are concerned/);
  });

  it("counts anew when a factor is removed, and is well after the last", async () => {
    const lost = await device([sealedWith(key), sealedWith(key)], [otherKey]);
    const trouble = lost.trouble();
    const [first = "", second = ""] = lost.ids;
    assert.match(trouble()?.detail ?? "", /2 users are/);
    await lost.accounts.changeFactor(first, () => null);
    assert.match(trouble()?.detail ?? "", /1 user is/);
    await lost.accounts.changeFactor(second, () => null);
    assert.equal(trouble(), null);
  });

  it("says of a key that cannot be used how many it concerns", async () => {
    const unreadable = await device([sealedWith(key)], []);
    assert.match(
      unreadable.trouble("The key cannot be read.")()?.detail ?? "",
      /^The key cannot be read\. 1 user is/,
    );
    const unneeded = await device([null], []);
    assert.deepEqual(unneeded.trouble("The key cannot be read.")(), {
      ...{ code: "sealing_key_unusable", facts: { users: 0, path: "/etc/steward/seal.key" } },
      detail: "The key cannot be read.",
    });
  });

  it("marks the users concerned, and no others", async () => {
    const lost = await device([sealedWith(key), null, sealedWith(otherKey)], [otherKey]);
    const marks = lost.ids.map((id) => lost.accounts.get(id).two_factor.sealing_key);
    assert.deepEqual(marks, ["missing", undefined, undefined]);
  });
});
