import assert from "node:assert/strict";
import { before, beforeEach, describe, it } from "node:test";
import { type CodedUser, codedUser, freshAddress } from "../../../lab/agents/coded-user.ts";
import { startTimedAgentInProcess } from "../../../lab/agents/faked-time.ts";
import type { Answer } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";

const day = 86_400;

describe("ten wrong codes in a row", () => {
  let user: CodedUser;
  let users = 0;
  const agent = ofSuite(() => startTimedAgentInProcess({ clock: { trust: "trusted" } }));
  before(() => agent.signedInAdmin());
  beforeEach(async () => {
    users += 1;
    agent.knowClock({ trust: "trusted" });
    user = await codedUser(agent, `user-${users}`);
  });

  /** None of the steps that are searched. */
  const wrongCode = () => user.codeAhead(day);
  /** Straight to the code: passwords are right, and hashing them takes the time of the test. */
  const tryCodes = async (count: number): Promise<string[]> => {
    const codes: string[] = [];
    for (let challenge = ""; codes.length < count; ) {
      if (codes.length % 4 === 0) challenge = await user.challenge();
      codes.push((await answer(challenge, wrongCode())).json.code);
    }
    return codes;
  };
  const answer = (challenge_token: string, code: string): Promise<Answer> =>
    agent.call("POST", "/api/auth/totp", { body: { challenge_token, code }, from: freshAddress() });
  const lockOut = async (): Promise<void> => {
    assert.deepEqual(await tryCodes(10), Array(10).fill("totp_invalid"));
    await assertLocked();
  };
  const assertLocked = async (): Promise<void> => {
    const refused = await user.signIn({ code: user.nextCode() });
    assert.deepEqual([refused.status, refused.json.code], [429, "account_locked"]);
    const wait = Number(refused.headers["retry-after"]);
    assert.ok(wait > 870 && wait <= 900, `Retry-After: ${wait}`);
  };
  const assertIn = async (proof: object = { code: user.nextCode() }): Promise<void> => {
    const { status, text } = await user.signIn(proof);
    assert.equal(status, 200, text);
  };

  it("lock the account's codes, and a recovery code works, and lifts nothing", async () => {
    await lockOut();
    const shown = await agent.call("GET", `/api/users/${user.id}`, { local: true });
    assert.equal(shown.json.locked.totp, true);
    await assertIn({ recovery_code: user.recoveryCodes[0] });
    await assertLocked();
  });

  it("leave local root, who unlocks", async () => {
    await lockOut();
    const unlocked = await agent.call("POST", `/api/users/${user.id}/unlock`, { local: true });
    assert.equal(unlocked.status, 200, unlocked.text);
    await assertIn();
  });

  it("are written down as a lock, once: who, from where, for how long", async () => {
    const locks = async () => {
      const json = await agent.read("/api/events?after=0&type=codes.locked&limit=200");
      return json.items;
    };
    const before = (await locks()).length;
    await lockOut();
    const [lock, ...more] = (await locks()).slice(before);
    assert.deepEqual([lock.subject.name, lock.details.seconds, more.length], [user.username, 900, 0]);
    assert.match(lock.from, /^198\.19\./);
    await agent.call("POST", `/api/users/${user.id}/unlock`, { local: true });
  });

  it("lock on when the trust in the clock is lost, and are forgotten when it comes back", async () => {
    await lockOut();
    agent.knowClock({ trust: "none" });
    await assertLocked();
    agent.knowClock({ trust: "trusted" });
    await assertIn();
  });
});
