import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createRecovery } from "../../../src/auth/sign-in/recovery.ts";
import { createAccessTokens } from "../../../src/auth/tokens/access-tokens.ts";
import { virtualHost } from "../virtual-host.ts";
import { codeFrom, context, enrolled, virtualSignIn } from "../virtual-sign-in.ts";

/** A user with a second factor whose password an administrator has just reset. */
async function withOneUsePassword() {
  const rooms = await virtualSignIn(virtualHost());
  const { id, username } = rooms.account();
  const { initialPassword } = await rooms.accounts.setPassword(id, undefined, "192.0.2.1");
  const { recoveryCodes } = await enrolled(rooms);
  const tokens = createAccessTokens(rooms);
  const recovery = createRecovery({ ...rooms, tokens, requiredAction: () => null });
  const secrets = {
    password: initialPassword ?? assert.fail("no one-use password"),
    recovery_code: recoveryCodes[0] ?? "",
  };
  return { ...rooms, id, recover: () => recovery.recover(username, secrets, context) };
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
