import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { goodPassword, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { enrol } from "../../../lab/agents/enrol.ts";
import type { Answer } from "../../../lab/agents/running-agent.ts";
import { codeOf } from "../../../lab/basics/authenticator.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";
import { login, newAddress } from "./guessing.ts";

describe("a challenge, between the password and the code", () => {
  const time = standingTime();
  const agent = ofSuite(() => startCheckedAgent({ time }));
  before(() => agent.signedInAdmin());

  let names = 0;
  /** A user for each test, since a code is good once. */
  const keeper = async () => {
    names += 1;
    const username = `challenged-${names}`;
    const user = await agent.signedIn(username, "operator");
    const proof = { ...user, password: goodPassword };
    return { ...user, username, ...(await enrol(agent.call, proof, time.nowSeconds())) };
  };
  type Keeper = Awaited<ReturnType<typeof keeper>>;
  const open = async ({ username }: Keeper): Promise<string> =>
    (await login(agent, newAddress(), username, goodPassword)).json.challenge_token;
  /** Each from another source: wrong ones are counted. */
  const answer = (challenge_token: string, proof: object): Promise<Answer> =>
    agent.call("POST", "/api/auth/totp", { from: newAddress(), body: { challenge_token, ...proof } });
  const codeFrom = async (given: Promise<Answer>) => (await given).json.code ?? "in";
  const rightCode = ({ secret }: Keeper) => ({ code: codeOf(secret, time.nowSeconds() + 30) });
  const recoveryCode = ({ recoveryCodes }: Keeper, index = 0) => ({ recovery_code: recoveryCodes[index] });

  it("is good once (replay)", async () => {
    const user = await keeper();
    const token = await open(user);
    assert.equal(await codeFrom(answer(token, rightCode(user))), "in");
    assert.equal(await codeFrom(answer(token, recoveryCode(user))), "challenge_invalid");
  });

  it("is good once of eight answers at the same moment (race)", async () => {
    const user = await keeper();
    const token = await open(user);
    const proofs = Array.from({ length: 8 }, (_, index) => recoveryCode(user, index));
    const all = await Promise.all(proofs.map((proof) => codeFrom(answer(token, proof))));
    assert.equal(all.filter((code) => code === "in").length, 1);
  });

  it("takes no other user's code or recovery code, which is not spent by that", async () => {
    const [user, other] = [await keeper(), await keeper()];
    const token = await open(user);
    assert.equal(await codeFrom(answer(token, rightCode(other))), "totp_invalid");
    assert.equal(await codeFrom(answer(token, recoveryCode(other))), "recovery_code_invalid");
    assert.equal((await answer(token, rightCode(user))).json.user?.id, user.id);
    assert.equal(await codeFrom(answer(await open(other), rightCode(other))), "in");
  });

  const root = (method: string, path: string, body?: object) =>
    agent.call(method, `/api/users/${path}`, { local: true, ...(body && { body }) });
  const ended: Record<string, (user: Keeper) => Promise<Answer>> = {
    "the password was changed": ({ token }) => {
      const body = { current_password: goodPassword, new_password: "seven lamps beside canals" };
      return agent.call("PUT", "/api/auth/password", { token, body });
    },
    "the password was reset": ({ id }) => root("POST", `${id}/password-reset`, {}),
    "the user was disabled": ({ id }) => root("PUT", id, { enabled: false }),
    "the user was deleted": ({ id }) => root("DELETE", id),
    "the factor was removed": ({ id }) => root("POST", `${id}/2fa/recover`, { reason: "lost" }),
  };
  for (const [name, end] of Object.entries(ended))
    it(`is no good once ${name}`, async () => {
      const user = await keeper();
      const token = await open(user);
      assert.ok((await end(user)).status < 300);
      assert.equal(await codeFrom(answer(token, rightCode(user))), "challenge_invalid");
    });
});
