import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { codeFrom, errorFrom } from "../../../lab/simulated/virtual-sign-in.ts";
import type { Account } from "../../../src/accounts/users/account.ts";
import type { Accounts } from "../../../src/accounts/users/accounts.ts";
import { accountOf, accountsOver } from "./accounts-over.ts";

const adminOf = (username: string, members: Partial<Account> = {}) =>
  accountOf(username, { role: "admin", ...members });

const factorWith = (sealed_secret: string, recovery_hashes: readonly string[] = []) => ({
  two_factor: { sealed_secret, enrolled_at: "2026-11-01T00:00:00.000Z", recovery_hashes },
});

const passkey = {
  ...{ id: "psk_1", name: "key", host: "edge.local", credential_id: "a", public_key: "b", sign_count: 0 },
  ...{ created_at: "2026-11-01T00:00:00.000Z", last_used_at: null },
};

/** A device with these administrators, of whom those named are signed in, and the key "here" and no other. */
async function device(administrators: readonly Account[], signedIn: readonly string[] = []) {
  const ids = administrators.filter(({ username }) => signedIn.includes(username)).map(({ id }) => id);
  const hasKey = (sealed: string) => sealed === "here";
  return (await accountsOver(administrators, { hasKey, isSignedIn: (id) => ids.includes(id) })).accounts;
}

type Door = (accounts: Accounts, id: string) => Promise<unknown>;

/** Each by which an administrator may lose the way in, of whom nothing else is known than the account. */
const closing: Readonly<Record<string, Door>> = {
  "is deleted": (accounts, id) => accounts.remove(id),
  "is demoted": (accounts, id) => accounts.update(id, { role: "operator" }),
  "is demoted by root": (accounts, id) => accounts.update(id, { role: "operator" }, { isByRoot: true }),
  "is disabled": (accounts, id) => accounts.update(id, { enabled: false }),
  "is disabled by root": (accounts, id) => accounts.update(id, { enabled: false }, { isByRoot: true }),
  "has to choose a password": (accounts, id) => accounts.update(id, { must_change_password: true }),
  "gets a one-use password": (accounts, id) => accounts.setPassword(id, undefined, null),
};

/** Each by which a person gets in, or which takes no administrator away. */
const open: Readonly<Record<string, Door>> = {
  "gets another name": (accounts, id) => accounts.update(id, { display_name: "Boss" }),
  "gets a password": (accounts, id) => accounts.setPassword(id, "seven quiet owls at dusk", null),
  "gets a one-use password of root's": (accounts, id) =>
    accounts.setPassword(id, undefined, null, { isByRoot: true }),
  "has to choose a password by root's word": (accounts, id) =>
    accounts.update(id, { must_change_password: true }, { isByRoot: true }),
  "is rescued": (accounts, id) => accounts.rescue(id, undefined, null, "other"),
  "is rescued by root": (accounts, id) => accounts.rescue(id, undefined, null, "local-root"),
  "loses the second factor": (accounts, id) => accounts.changeFactor(id, () => null),
};

const lost = "has a second factor that cannot be checked, and no recovery code";
const unused = "has not signed in with the one-use password yet";
const spent = "has used up the one-use password and chosen no other";
const provider = { issuer: "https://id.example", subject: "p-1" };

interface Row {
  readonly second: Partial<Account>;
  readonly isSignedIn?: boolean;
  /** The reason in a refusal; null: the administrator counts. */
  readonly why: string | null;
  /** The administrators of the need where there is no other account; null: there is no need. */
  readonly need: number | null;
}

/** The other administrator; the first one has a password of their own. */
const rows: Readonly<Record<string, Row>> = {
  "with a password of their own": { second: {}, why: null, need: null },
  "with a second factor": { second: factorWith("here"), why: null, need: null },
  "with a lost key and a recovery code": { second: factorWith("lost", ["h"]), why: null, need: null },
  "with a lost key and a passkey": {
    second: { two_factor: { ...factorWith("lost").two_factor, passkeys: [passkey] } },
    ...{ why: null, need: null },
  },
  "with a lost key": { second: factorWith("lost"), why: lost, need: 1 },
  "with a lost key, signed in": { second: factorWith("lost"), isSignedIn: true, why: lost, need: 1 },
  "with an unused one-use password": { second: { password_state: "initial" }, why: unused, need: null },
  "with an unused one-use password and a lost key": {
    second: { password_state: "initial", ...factorWith("lost") },
    ...{ why: lost, need: 1 },
  },
  "with a one-use password that is used up": { second: { password_state: "spent" }, why: spent, need: 1 },
  "who is about to replace the one-use password": {
    second: { password_state: "spent" },
    isSignedIn: true,
    ...{ why: "has not replaced the one-use password yet", need: null },
  },
  // No need: it is that of a device without an administrator.
  "who is disabled": { second: { enabled: false }, why: "is disabled", need: null },
  "of a provider": { second: { provider }, why: "signs in at https://id.example", need: null },
};

const boss = adminOf("boss");
/** Whom only root can let in. */
const twoLost = [adminOf("boss", { password_state: "spent" }), adminOf("second", factorWith("lost"))];

describe("the last administrator who can sign in", () => {
  for (const [who, { second, isSignedIn = false, why, need }] of Object.entries(rows)) {
    const other = adminOf("second", second);
    const both = () => device([boss, other], isSignedIn ? ["second"] : []);

    it(`${why === null ? "may go" : "is not shut out"} beside one ${who}`, async () => {
      for (const [what, shut] of Object.entries(closing)) {
        const accounts = await both();
        const error = await errorFrom(shut(accounts, boss.id));
        if (why === null) assert.equal(error, undefined, what);
        else {
          assert.equal(error?.code, "last_admin", what);
          assert.ok(error.message.includes(`second ${why}`), `${what}: ${error.message}`);
          assert.deepEqual(accounts.all(), [boss, other], what);
        }
      }
      for (const [what, act] of Object.entries(open))
        assert.equal(await codeFrom(act(await both(), boss.id)), "done", what);
    });

    it(`is ${need === null ? "not missed" : "missed"} where the only account is one ${who}`, async () => {
      const accounts = await device([other], isSignedIn ? ["second"] : []);
      const found = accounts.administratorTrouble();
      const [wanted, line] = [need && { users: need }, need && "steward user rescue NAME"];
      assert.deepEqual([found?.facts ?? null, found?.remedy?.line ?? null], [wanted, line]);
      assert.equal((await both()).administratorTrouble(), null);
    });
  }

  it("is refused with the names of five others at most, and with none where there is no other", async () => {
    const messageOf = async (others: readonly Account[]) =>
      (await errorFrom((await device([boss, ...others])).remove(boss.id)))?.message ?? "";
    assert.match(await messageOf([accountOf("reader")]), /by themselves: there is no other\. First let/);
    const many = ["ada", "bob", "cyd", "dan", "eve", "fay", "gus"].map((name) =>
      adminOf(name, { enabled: false }),
    );
    const found = await messageOf(many);
    assert.match(found, /: ada is disabled; [^;]*; [^;]*; [^;]*; eve is disabled; and 2 more\. First let/);
  });

  it("is kept at a provider's sign-in, which takes and gives roles of accounts that do not count", async () => {
    const accounts = await device([boss, adminOf("paula", { provider })]);
    const given = { identity: provider, display_name: "", usernames: [] };
    await accounts.keepProviderAccount({ ...given, role: "readonly" });
    assert.equal(await codeFrom(accounts.remove(boss.id)), "last_admin");
    await accounts.keepProviderAccount({ ...given, role: "admin" });
    assert.equal(await codeFrom(accounts.remove(boss.id)), "last_admin");
  });

  it("who has only a one-use password is not taken away, whether or not it is used up", async () => {
    for (const password_state of ["initial", "spent"] as const)
      for (const what of ["is deleted", "is demoted by root", "is disabled"]) {
        const accounts = await device([
          adminOf("boss", { password_state }),
          adminOf("off", { enabled: false }),
        ]);
        const error = await errorFrom(closing[what]?.(accounts, boss.id) ?? assert.fail(what));
        assert.equal(error?.code, "last_admin", `${password_state}: ${what}`);
      }
    // One may go where two are left whom only root can let in.
    const accounts = await device(twoLost);
    await accounts.remove(boss.id);
    assert.deepEqual(accounts.administratorTrouble()?.facts, { users: 1 });
  });

  it("keeps a passkey that is the last way in, and any other factor may go", async () => {
    const { two_factor } = factorWith("lost");
    const accounts = await device([adminOf("boss", { two_factor: { ...two_factor, passkeys: [passkey] } })]);
    const without = () => accounts.changeFactor(boss.id, (factor) => factor && { ...factor, passkeys: [] });
    assert.equal(await codeFrom(without()), "last_admin");
    await accounts.changeFactor(boss.id, (factor) => factor && { ...factor, recovery_hashes: ["h"] });
    assert.equal(await codeFrom(without()), "done");
  });

  it("is missed until one of them is let in", async () => {
    const accounts = await device(twoLost);
    const found = accounts.administratorTrouble();
    const seen = [found?.code, found?.level, found?.facts];
    assert.deepEqual(seen, ["no_administrator", "failing", { users: 2 }]);
    assert.ok(accounts.hasAdministrator());
    await accounts.rescue(boss.id, undefined, null, "local-root");
    assert.equal(accounts.administratorTrouble(), null);
  });
});
