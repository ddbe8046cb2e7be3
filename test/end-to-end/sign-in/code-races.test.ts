import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { goodPassword } from "../../../lab/agents/checked-agent.ts";
import { type CodedUser, codedUser, freshAddress } from "../../../lab/agents/coded-user.ts";
import { enrol } from "../../../lab/agents/enrol.ts";
import { startTimedAgentInProcess } from "../../../lab/agents/faked-time.ts";
import type { Answer } from "../../../lab/agents/running-agent.ts";
import { counted } from "../../../lab/basics/counts.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";

/** The same rounds a hundred times, without the network: test/accounts/second-factor/second-factor.test.ts. */
const rounds = counted({ usual: 4, all: 12 });

function codesOf(answers: readonly Answer[]): string[] {
  return answers.map(({ status, json }) => (status === 200 ? "in" : json.code)).sort();
}

describe("one code sent twice at the same moment", () => {
  let ana: CodedUser;
  const agent = ofSuite(() => startTimedAgentInProcess({ clock: { trust: "trusted" } }));
  before(async () => {
    await agent.signedInAdmin();
    ana = await codedUser(agent, "ana");
  });

  const challenges = async (): Promise<string[]> => [await ana.challenge(), await ana.challenge()];
  const answer = (challenge_token: string, proof: object) =>
    agent.call("POST", "/api/auth/totp", { body: { challenge_token, ...proof }, from: freshAddress() });
  const recover = (recovery_code: string | undefined) =>
    agent.call("POST", `/api/users/${ana.id}/2fa/recover`, {
      body: { password: goodPassword, recovery_code },
      from: freshAddress(),
    });

  it("behind two challenges: one gets in, the other's code was used before", async () => {
    for (let round = 0; round < rounds; round += 1) {
      const tokens = await challenges();
      const code = ana.nextCode();
      const answers = await Promise.all(tokens.map((token) => answer(token, { code })));
      assert.deepEqual(codesOf(answers), ["in", "totp_reused"], `round ${round}`);
    }
  });

  it("as a recovery code at sign-in and at recovery: one of the two gets in", async () => {
    for (let round = 0; round < rounds; round += 1) {
      await agent.call("POST", `/api/users/${ana.id}/2fa/recover`, {
        local: true,
        body: { reason: "for the next round" },
      });
      const { recoveryCodes } = await enrolledAnew();
      const token = await ana.challenge();
      const recovery_code = recoveryCodes[0];
      const answers = await Promise.all([answer(token, { recovery_code }), recover(recovery_code)]);
      const entered = codesOf(answers).filter((one) => one === "in").length;
      assert.equal(entered, 1, `round ${round}: ${codesOf(answers)}`);
    }
  });

  async function enrolledAnew() {
    const signedIn = await agent.login("ana", goodPassword);
    return enrol(agent.call, { ...signedIn, password: goodPassword }, agent.nowSeconds());
  }
});
