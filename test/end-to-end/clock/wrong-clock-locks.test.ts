import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type CodedUser, codedUser, freshAddress } from "../../../lab/agents/coded-user.ts";
import { startTimedAgentInProcess } from "../../../lab/agents/faked-time.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";

const day = 86_400;

describe("ten wrong codes in a row", () => {
  const agent = ofSuite(() => startTimedAgentInProcess({ clock: { trust: "trusted" } }));
  before(() => agent.signedInAdmin());

  let users = 0;
  const lockedOut = async (): Promise<CodedUser> => {
    users += 1;
    const user = await codedUser(agent, `user-${users}`);
    // Straight to the code: passwords are right, and hashing them takes the time of the test.
    for (let count = 0, challenge_token = ""; count < 10; count += 1) {
      if (count % 4 === 0) challenge_token = await user.challenge();
      // None of the steps that are searched.
      const body = { challenge_token, code: user.codeAhead(day) };
      const { json } = await agent.call("POST", "/api/auth/totp", { body, from: freshAddress() });
      assert.equal(json.code, "totp_invalid");
    }
    await assertLocked(user);
    return user;
  };
  const assertLocked = async (user: CodedUser): Promise<void> => {
    const { status, json, headers } = await user.signIn({ code: user.nextCode() });
    assert.deepEqual([status, json.code], [429, "account_locked"]);
    const wait = Number(headers["retry-after"]);
    assert.ok(wait > 870 && wait <= 900, `Retry-After: ${wait}`);
  };
  const assertIn = async (user: CodedUser, proof: object = { code: user.nextCode() }): Promise<void> => {
    const { status, text } = await user.signIn(proof);
    assert.equal(status, 200, text);
  };

  it("lock the account's codes, and a recovery code works, and lifts nothing, until root unlocks", async () => {
    const user = await lockedOut();
    assert.equal((await agent.read(`/api/users/${user.id}`)).locked.totp, true);
    const { items } = await agent.read("/api/events?type=codes.locked");
    assert.deepEqual(
      [items.length, items[0].subject.name, items[0].details.seconds],
      [1, user.username, 900],
    );
    assert.match(items[0].from, /^198\.19\./);
    await assertIn(user, { recovery_code: user.recoveryCodes[0] });
    await assertLocked(user);
    assert.equal((await agent.call("POST", `/api/users/${user.id}/unlock`, { local: true })).status, 200);
    await assertIn(user);
  });

  it("lock on when the trust in the clock is lost, and are forgotten when it comes back", async () => {
    const user = await lockedOut();
    agent.knowClock({ trust: "none" });
    await assertLocked(user);
    agent.knowClock({ trust: "trusted" });
    await assertIn(user);
  });
});
