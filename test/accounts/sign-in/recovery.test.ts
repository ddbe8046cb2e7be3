import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hash } from "@node-rs/argon2";
import { heldTimers } from "../../../lab/host/timers.ts";
import { virtualHost } from "../../../lab/simulated/virtual-host.ts";
import {
  codeAt,
  codeFrom,
  context,
  enrolled,
  errorFrom,
  virtualSignIn,
} from "../../../lab/simulated/virtual-sign-in.ts";
import { requiredActionOf } from "../../../src/accounts/sessions/required-action.ts";
import { createChallenges } from "../../../src/accounts/sign-in/challenges.ts";
import { createRecovery } from "../../../src/accounts/sign-in/recovery.ts";
import { createSignIn } from "../../../src/accounts/sign-in/sign-in.ts";
import { createAccessTokens } from "../../../src/accounts/tokens/access-tokens.ts";
import { isCostlier } from "../../../src/accounts/users/passwords.ts";
import { inBody, noChallenges } from "../sessions-at.ts";

/** A user with a second factor whose password an administrator has just reset. */
async function withOneUsePassword() {
  const rooms = await virtualSignIn(virtualHost());
  const { id, username } = rooms.account();
  const { initialPassword } = await rooms.accounts.setPassword(id, undefined, "192.0.2.1", {
    isByRoot: true,
  });
  const { recoveryCodes } = await enrolled(rooms);
  const tokens = createAccessTokens(rooms);
  const recovery = createRecovery({ ...rooms, tokens, requiredAction: () => null });
  const secrets = {
    password: initialPassword ?? assert.fail("no one-use password"),
    recovery_code: recoveryCodes[0] ?? "",
  };
  const attempt = (change: Partial<typeof secrets>) =>
    recovery.recover(username, { ...secrets, ...change }, context);
  return { ...rooms, id, attempt, recover: () => attempt({}) };
}

describe("recovery with a one-use password", () => {
  it("takes the factor away and spends the password", async () => {
    const { recover, account } = await withOneUsePassword();
    const { session } = await recover();
    assert.deepEqual([session.user.two_factor.enabled, account().password_state], [false, "spent"]);
  });

  it("that a sign-in has spent is refused as if it were wrong, and the factor stays", async () => {
    const { recover, accounts, account, id } = await withOneUsePassword();
    accounts.signedIn(id, undefined);
    assert.equal(await codeFrom(recover()), "invalid_credentials");
    assert.equal(account().two_factor?.recovery_hashes.length, 10);
  });
});

describe("recovery is refused, and changes nothing,", () => {
  it("with a wrong password, a wrong code or a user who may not sign in", async () => {
    const { attempt, account, accounts, id } = await withOneUsePassword();
    const wrong = [{ password: "not that" }, { recovery_code: "0000-0000-0000-0000" }, { recovery_code: "" }];
    for (const change of wrong)
      assert.equal(await codeFrom(attempt(change)), "invalid_credentials", JSON.stringify(change));
    await accounts.create({ username: "other-admin", role: "admin", password: "quiet otters borrow" }, null);
    await accounts.update(id, { enabled: false });
    assert.equal(await codeFrom(attempt({})), "invalid_credentials");
    assert.equal(account().two_factor?.recovery_hashes.length, 10);
  });
});

/** Events that no test of this file looks at. */
const unheard = { record: async () => undefined, refuse: () => undefined };

describe("a session", () => {
  const password = "seven quiet owls at dusk";
  const begin = async () => {
    const host = virtualHost();
    const rooms = { ...host, ...(await virtualSignIn(host)) };
    const { id } = rooms.account();
    await rooms.accounts.setPassword(id, password, "192.0.2.1", { maker: "owner" });
    const signIn = createSignIn({
      ...{
        ...rooms,
        tokens: createAccessTokens(rooms),
        challenges: createChallenges({ ...rooms, timers: heldTimers() }, unheard),
      },
      requiredAction: (account) => requiredActionOf(account, "none"),
    });
    const login = (proof: object = {}) => signIn.login({ username: "ANA", password, ...proof }, context);
    return { ...rooms, id, signIn, login };
  };

  it("is stepped up by a sign-in with all that a step-up takes, and by no other (RFC 9470 §4)", async () => {
    const rooms = await begin();
    const { accounts, stepUps, login, id } = rooms;
    const isSteppedUp = async (proof?: object) => {
      const { session, method } = await login(proof);
      return [method, stepUps.isGranted(session.session.id)];
    };
    assert.deepEqual(await isSteppedUp(), ["password", true]);
    const { recoveryCodes, secret } = await enrolled(rooms);
    assert.equal(await codeFrom(login()), "totp_required");
    assert.deepEqual(await isSteppedUp({ recovery_code: recoveryCodes[0] }), ["recovery_code", false]);
    assert.deepEqual(await isSteppedUp({ code: codeAt(rooms, secret) }), ["totp", true]);
    await accounts.changeFactor(id, () => null);
    const { initialPassword } = await accounts.setPassword(id, undefined, null, { isByRoot: true });
    assert.deepEqual(await isSteppedUp({ password: initialPassword }), ["password", false]);
  });
  it("warns its user of fewer than three recovery codes", async () => {
    const rooms = await begin();
    const { secret } = await enrolled(rooms);
    for (const [left, warnings] of [
      [3, 0],
      [2, 1],
    ] as const) {
      const few = (hashes: readonly string[]) => ({ recovery_hashes: hashes.slice(0, left) });
      await rooms.accounts.changeFactor(
        rooms.id,
        (factor) => factor && { ...factor, ...few(factor.recovery_hashes) },
      );
      rooms.pass(30);
      const { session } = await rooms.login({ code: codeAt(rooms, secret) });
      assert.equal(session.warnings.length, warnings, `${left} are left`);
    }
  });
  it("of a user who may no longer sign in, or who is gone, is not renewed and ends", async () => {
    for (const isRemoved of [false, true]) {
      const { accounts, sessions, signIn, login, id } = await begin();
      const { session } = await login();
      await accounts.create(
        { username: "other-admin", role: "admin", password: "quiet otters borrow" },
        null,
      );
      await (isRemoved ? accounts.remove(id) : accounts.update(id, { enabled: false }));
      const error = await errorFrom(signIn.refresh(inBody(session.refresh_token ?? ""), context));
      assert.deepEqual([error?.code, error?.details.reason], ["invalid_token", "revoked"]);
      assert.equal(sessions.count(), 0);
    }
  });
  it("of a user who is gone is not stepped up, as with a wrong password", async () => {
    const { accounts, sessions, ownAccount, login, id, account } = await begin();
    await login();
    const [session] = sessions.list(id);
    assert.ok(session);
    const who = { kind: "user", account: account(), session, requiredAction: null } as const;
    const person = { ...who, isSteppedUp: false, isTolerated: false };
    assert.equal(await ownAccount.reauthenticate(person, { password }, context), 300);
    await accounts.create({ username: "other-admin", role: "admin", password: "quiet otters borrow" }, null);
    await accounts.remove(id);
    assert.equal(await codeFrom(ownAccount.reauthenticate(person, { password }, context)), "password_wrong");
  });
});

const password = "seven quiet owls at dusk";

describe("a sign-in with a stored hash of more than twice the device's own cost", () => {
  it("is good, and leaves one at the own cost: the time no longer shows that the name exists", async () => {
    const host = virtualHost();
    const rooms = await virtualSignIn(host);
    const costly = await hash(password, { memoryCost: 65_536, timeCost: 3, parallelism: 1 });
    assert.equal(isCostlier(costly), true);
    const { id } = rooms.account();
    rooms.accounts.signedIn(id, costly);
    const tokens = createAccessTokens(host);
    const signIn = createSignIn({ ...rooms, tokens, challenges: noChallenges, requiredAction: () => null });
    const credentials = { username: "ana", password };
    assert.equal((await signIn.login(credentials, context)).method, "password");
    const own = await rooms.passwords.hash(password, null);
    const costOf = (phc: string) => /\$m=.*?\$/.exec(phc)?.[0];
    assert.equal(costOf(rooms.account().password_hash), costOf(own));
    assert.equal((await signIn.login(credentials, context)).method, "password");
  });
});

describe("a refresh by a user who has been disabled", () => {
  it("ends each of their sessions, and the record has the reason", async () => {
    const host = virtualHost();
    const rooms = await virtualSignIn(host);
    const { id, username } = rooms.account();
    const opened = [rooms.sessions.open(id, context), rooms.sessions.open(id, context)];
    const signIn = createSignIn({
      ...{ ...rooms, challenges: noChallenges, requiredAction: () => null },
      tokens: createAccessTokens(host),
      accounts: { ...rooms.accounts, find: () => ({ ...rooms.account(), enabled: false }) },
    });
    const proof = inBody(opened[0]?.refreshToken ?? "");
    assert.equal(await codeFrom(signIn.refresh(proof, context)), "invalid_token");
    const types = rooms.events.map(({ type, subject, details }) => [type, subject, details.because]);
    assert.deepEqual(
      types,
      opened.map(() => ["session.ended", { id, name: username }, "user_disabled"]),
    );
    assert.equal(rooms.sessions.list(id).length, 0);
  });
});
