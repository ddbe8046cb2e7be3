import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hash } from "@node-rs/argon2";
import { virtualHost } from "../../../lab/simulated/virtual-host.ts";
import { codeFrom, context, virtualSignIn } from "../../../lab/simulated/virtual-sign-in.ts";
import { createSignIn } from "../../../src/accounts/sign-in/sign-in.ts";
import { createAccessTokens } from "../../../src/accounts/tokens/access-tokens.ts";
import { isCostlier } from "../../../src/accounts/users/passwords.ts";

const password = "seven quiet owls at dusk";

const challenges = {
  ...{ open: () => "", find: () => undefined },
  ...{ failed: () => undefined, close: () => undefined },
};

describe("a sign-in with a stored hash of more than twice the device's own cost", () => {
  it("is good, and leaves one at the own cost: the time no longer shows that the name exists", async () => {
    const host = virtualHost();
    const rooms = await virtualSignIn(host);
    const costly = await hash(password, { memoryCost: 65_536, timeCost: 3, parallelism: 1 });
    assert.equal(isCostlier(costly), true);
    const { id } = rooms.account();
    rooms.accounts.signedIn(id, costly);
    const tokens = createAccessTokens(host);
    const signIn = createSignIn({ ...rooms, tokens, challenges, requiredAction: () => null });
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
      ...{ ...rooms, challenges, requiredAction: () => null },
      tokens: createAccessTokens(host),
      accounts: { ...rooms.accounts, find: () => ({ ...rooms.account(), enabled: false }) },
    });
    const proof = { tokens: [opened[0]?.refreshToken ?? ""], isInCookie: false, binding: undefined };
    assert.equal(await codeFrom(signIn.refresh(proof, context)), "invalid_token");
    const types = rooms.events.map(({ type, subject, details }) => [type, subject, details.because]);
    assert.deepEqual(
      types,
      opened.map(() => ["session.ended", { id, name: username }, "user_disabled"]),
    );
    assert.equal(rooms.sessions.list(id).length, 0);
  });
});
