import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { goodPassword } from "../../../lab/agents/checked-agent.ts";
import { type CodedUser, codedUser, freshAddress } from "../../../lab/agents/coded-user.ts";
import { enrol } from "../../../lab/agents/enrol.ts";
import { startTimedAgentInProcess } from "../../../lab/agents/faked-time.ts";
import { outcome } from "../../../lab/agents/running-agent.ts";
import { counted } from "../../../lab/basics/counts.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";

/** The same rounds a hundred times, without the network: test/accounts/second-factor/second-factor.test.ts. */
const rounds = counted({ usual: 4, all: 12 });

describe("the codes of a user", () => {
  let ana: CodedUser;
  const agent = ofSuite(() => startTimedAgentInProcess({ clock: { trust: "trusted" } }));
  before(async () => {
    await agent.signedInAdmin();
    ana = await codedUser(agent, "ana");
  });

  it("are locked by ten wrong ones, a recovery code is not, until root unlocks or the clock is trusted anew", async () => {
    const next = () => outcome(ana.signIn({ code: ana.nextCode() }));
    const lock = async () => {
      // A code of none of the steps that are searched.
      for (let count = 0; count < 10; count += 1)
        assert.equal(await outcome(ana.signIn({ code: ana.codeAhead(86_400) })), "401 totp_invalid");
      assert.equal(await next(), "429 account_locked");
    };
    await lock();
    const [{ subject, from, details }] = (await agent.read("/api/events?type=codes.locked")).items;
    assert.deepEqual([subject.name, from.slice(0, 7), details.seconds], ["ana", "198.19.", 900]);
    assert.equal(await outcome(ana.signIn({ recovery_code: ana.recoveryCodes[0] ?? "" })), "200");
    assert.equal(await next(), "429 account_locked");
    assert.equal((await agent.call("POST", `/api/users/${ana.id}/unlock`, { local: true })).status, 200);
    assert.equal(await next(), "200");
    await lock();
    agent.knowClock({ trust: "none" });
    assert.equal(await next(), "429 account_locked");
    agent.knowClock({ trust: "trusted" });
    assert.equal(await next(), "200");
  });

  describe("sent twice at the same moment", () => {
    const post = async (path: string, body: object): Promise<string> => {
      const { status, json } = await agent.call("POST", path, { body, from: freshAddress() });
      return status === 200 ? "in" : json.code;
    };
    const answer = (challenge_token: string, proof: object) =>
      post("/api/auth/totp", { challenge_token, ...proof });

    it("behind two challenges: one gets in, the other's code was used before", async () => {
      for (let round = 0; round < rounds; round += 1) {
        const tokens = [await ana.challenge(), await ana.challenge()];
        const code = ana.nextCode();
        const answers = await Promise.all(tokens.map((token) => answer(token, { code })));
        assert.deepEqual(answers.sort(), ["in", "totp_reused"], `round ${round}`);
      }
    });

    it("as a recovery code at sign-in and at recovery: one of the two gets in", async () => {
      const path = `/api/users/${ana.id}/2fa/recover`;
      for (let round = 0; round < rounds; round += 1) {
        await agent.call("POST", path, { local: true, body: { reason: "for the next round" } });
        const again = { ...(await agent.login("ana", goodPassword)), password: goodPassword };
        const [recovery_code] = (await enrol(agent.call, again, agent.nowSeconds())).recoveryCodes;
        const atSignIn = answer(await ana.challenge(), { recovery_code });
        const answers = await Promise.all([atSignIn, post(path, { password: goodPassword, recovery_code })]);
        assert.equal(answers.filter((one) => one === "in").length, 1, `round ${round}: ${answers}`);
      }
    });
  });
});
