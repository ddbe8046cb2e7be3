import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { goodPassword, type SignedIn, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { type Enrolled, enrol } from "../../../lab/agents/enrol.ts";
import type { Answer } from "../../../lab/agents/running-agent.ts";
import { codeOf } from "../../../lab/basics/authenticator.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";
import { login, newAddress } from "./guessing.ts";

interface Keeper extends SignedIn, Enrolled {
  username: string;
}

describe("a challenge, between the password and the code", () => {
  const time = standingTime();

  let names = 0;
  const agent = ofSuite(() => startCheckedAgent({ time }));
  before(() => agent.signedInAdmin());

  /** A user for each test, since a code is good once. */
  const keeper = async (): Promise<Keeper> => {
    names += 1;
    const username = `challenged-${names}`;
    const user = await agent.signedIn(username, "operator");
    return {
      ...user,
      username,
      ...(await enrol(agent.call, { ...user, password: goodPassword }, time.nowSeconds())),
    };
  };
  const open = async ({ username }: Keeper): Promise<string> => {
    const { status, json } = await login(agent, newAddress(), username, goodPassword);
    assert.deepEqual([status, json.code], [401, "totp_required"]);
    return json.challenge_token;
  };
  /** Each from another source: wrong ones are counted. */
  const answer = (challenge_token: string, proof: object): Promise<Answer> =>
    agent.call("POST", "/api/auth/totp", { from: newAddress(), body: { challenge_token, ...proof } });
  const rightCode = ({ secret }: Keeper) => ({ code: codeOf(secret, time.nowSeconds() + 30) });
  const recoveryCode = ({ recoveryCodes }: Keeper, index = 0) => ({ recovery_code: recoveryCodes[index] });
  const assertStale = ({ status, json }: Answer) =>
    assert.deepEqual([status, json.code], [401, "challenge_invalid"]);

  it("is good once (replay)", async () => {
    const user = await keeper();
    const token = await open(user);
    assert.equal((await answer(token, rightCode(user))).status, 200);
    assertStale(await answer(token, recoveryCode(user)));
  });

  it("is good once of eight answers at the same moment (race)", async () => {
    const user = await keeper();
    const token = await open(user);
    const proofs = Array.from({ length: 8 }, (_, index) => recoveryCode(user, index));
    const all = await Promise.all(proofs.map((proof) => answer(token, proof)));
    assert.equal(all.filter(({ status }) => status === 200).length, 1);
  });

  it("takes no other user's code or recovery code", async () => {
    const [user, other] = [await keeper(), await keeper()];
    const token = await open(user);
    const wrongs: Answer[] = [
      await answer(token, rightCode(other)),
      await answer(token, recoveryCode(other)),
    ];
    assert.deepEqual(
      wrongs.map(({ json }) => json.code),
      ["totp_invalid", "recovery_code_invalid"],
    );
    const { status, json } = await answer(token, rightCode(user));
    assert.deepEqual([status, json.user?.id], [200, user.id]);
    assert.equal((await answer(await open(other), rightCode(other))).status, 200, "the other's is not spent");
  });

  const ended: Record<string, (user: Keeper) => Promise<Answer>> = {
    "the password was changed": ({ token }) =>
      agent.call("PUT", "/api/auth/password", {
        token,
        body: { current_password: goodPassword, new_password: "seven lamps beside canals" },
      }),
    "the password was reset": ({ id }) =>
      agent.call("POST", `/api/users/${id}/password-reset`, { local: true, body: {} }),
    "the user was disabled": ({ id }) =>
      agent.call("PUT", `/api/users/${id}`, { local: true, body: { enabled: false } }),
    "the user was deleted": ({ id }) => agent.call("DELETE", `/api/users/${id}`, { local: true }),
    "the factor was removed": ({ id }) =>
      agent.call("POST", `/api/users/${id}/2fa/recover`, { local: true, body: { reason: "lost" } }),
  };
  for (const [name, end] of Object.entries(ended)) {
    it(`is no good once ${name}`, async () => {
      const user = await keeper();
      const token = await open(user);
      const { status, text } = await end(user);
      assert.ok(status < 300, text);
      assertStale(await answer(token, rightCode(user)));
    });
  }
});
