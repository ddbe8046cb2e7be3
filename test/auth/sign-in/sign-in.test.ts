import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hash } from "@node-rs/argon2";
import { virtualHost } from "../../../lab/simulated/virtual-host.ts";
import { context, virtualSignIn } from "../../../lab/simulated/virtual-sign-in.ts";
import { createSignIn } from "../../../src/auth/sign-in/sign-in.ts";
import { createAccessTokens } from "../../../src/auth/tokens/access-tokens.ts";
import { isCostlier } from "../../../src/users/passwords.ts";

const password = "seven quiet owls at dusk";

describe("a sign-in with a stored hash of more than twice the device's own cost", () => {
  it("is good, and leaves one at the own cost: the time no longer shows that the name exists", async () => {
    const host = virtualHost();
    const rooms = await virtualSignIn(host);
    const costly = await hash(password, { memoryCost: 65_536, timeCost: 3, parallelism: 1 });
    assert.equal(isCostlier(costly), true);
    const { id } = rooms.account();
    rooms.accounts.signedIn(id, costly);
    const challenges = {
      ...{ open: () => "", find: () => undefined },
      ...{ failed: () => undefined, close: () => undefined },
    };
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
