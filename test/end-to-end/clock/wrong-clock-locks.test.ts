import assert from "node:assert/strict";
import { before, beforeEach, describe, it } from "node:test";
import { goodPassword } from "../../../lab/agents/checked-agent.ts";
import { type CodedUser, codedUser, freshAddress } from "../../../lab/agents/coded-user.ts";
import { enrol } from "../../../lab/agents/enrol.ts";
import { startTimedAgentInProcess } from "../../../lab/agents/faked-time.ts";
import type { Answer } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";

const day = 86_400;

describe("ten wrong codes in a row", () => {
  let admin: { token: string };
  let user: CodedUser;
  let users = 0;
  const agent = ofSuite(() => startTimedAgentInProcess({ clock: { trust: "trusted" } }));
  before(async () => {
    admin = await agent.signedInAdmin();
  });
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
  const asAdmin = (path: string, body: object) =>
    agent.call("POST", `/api/users/${user.id}${path}`, { token: admin.token, body });

  it("lock the account's codes, and a recovery code works, and lifts nothing", async () => {
    await lockOut();
    const shown = await agent.call("GET", `/api/users/${user.id}`, { local: true });
    assert.equal(shown.json.locked.totp, true);
    await assertIn({ recovery_code: user.recoveryCodes[0] });
    await assertLocked();
  });

  it("leave an administrator's reset: the user enters with the password and enrols anew", async () => {
    await lockOut();
    const { token } = await agent.login("root-admin", "green tractor sings loudly");
    admin = { token };
    const body = { password: "green tractor sings loudly" };
    assert.equal((await agent.call("POST", "/api/auth/reauth", { token, body })).status, 200);
    const reset = await asAdmin("/2fa/recover", { reason: "lost the phone" });
    assert.equal(reset.status, 200, reset.text);
    assert.equal(reset.json.locked, null);
    const again = await agent.login(user.username, goodPassword);
    const { secret } = await enrol(agent.call, { ...again, password: goodPassword }, agent.nowSeconds());
    assert.notEqual(secret, user.secret);
  });

  it("leave local root, who unlocks", async () => {
    await lockOut();
    const unlocked = await agent.call("POST", `/api/users/${user.id}/unlock`, { local: true });
    assert.equal(unlocked.status, 200, unlocked.text);
    await assertIn();
  });

  it("leave local root, who takes the factor away", async () => {
    await lockOut();
    const body = { reason: "at the device" };
    const path = `/api/users/${user.id}/2fa/recover`;
    assert.equal((await agent.call("POST", path, { local: true, body })).status, 200);
    await agent.login(user.username, goodPassword);
  });

  it("are written down as a lock, once: who, from where, for how long", async () => {
    const locks = async () => {
      const { json } = await agent.call("GET", "/api/events?after=0&type=codes.locked&limit=200", {
        local: true,
      });
      return json.items;
    };
    const before = (await locks()).length;
    await lockOut();
    const [lock, ...more] = (await locks()).slice(before);
    assert.deepEqual([lock.subject.name, lock.details.seconds, more.length], [user.username, 900, 0]);
    assert.match(lock.from, /^198\.19\./);
    await agent.call("POST", `/api/users/${user.id}/unlock`, { local: true });
  });

  it("sent at once are counted each: no more than ten are looked at", async () => {
    const challenges: string[] = [];
    for (let count = 0; count < 14; count += 1) challenges.push(await user.challenge());
    const code = wrongCode();
    const answers = await Promise.all(challenges.map((challenge) => answer(challenge, code)));
    const codes = answers.map(({ json }) => json.code).sort();
    assert.deepEqual(codes, [...Array(4).fill("account_locked"), ...Array(10).fill("totp_invalid")]);
  });

  it("lock codes also while the clock is not trusted, until it is (guessing under a wrong clock)", async () => {
    agent.knowClock({ trust: "none" });
    await lockOut();
    agent.knowClock({ trust: "trusted" });
    await assertIn();
  });

  it("lock on when the trust in the clock is lost, and are forgotten when it comes back", async () => {
    await lockOut();
    agent.knowClock({ trust: "none" });
    await assertLocked();
    agent.knowClock({ trust: "trusted" });
    await assertIn();
  });
});
