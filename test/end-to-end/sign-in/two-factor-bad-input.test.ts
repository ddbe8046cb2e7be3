import assert from "node:assert/strict";
import { before, beforeEach, describe, it } from "node:test";
import { goodPassword, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { enrol } from "../../../lab/agents/enrol.ts";
import { type Answer, outcome } from "../../../lab/agents/running-agent.ts";
import { codeOf } from "../../../lab/basics/authenticator.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";
import { newAddress } from "./guessing.ts";

const password = goodPassword;

describe("what people and programs send as a code", () => {
  const time = standingTime();
  const agent = ofSuite(() => startCheckedAgent({ time }));
  const enrolled = async (username: string) => {
    const user = await agent.signedIn(username, "readonly");
    return { ...user, username, ...(await enrol(agent.call, { ...user, password }, time.nowSeconds())) };
  };
  type Keeper = Awaited<ReturnType<typeof enrolled>>;
  let keeper: Keeper;
  let other: Keeper;
  before(async () => {
    await agent.signedInAdmin();
    [keeper, other] = [await enrolled("keeper"), await enrolled("other")];
  });
  // Ten wrong ones would lock the codes.
  beforeEach(() => agent.call("POST", `/api/users/${keeper.id}/unlock`, { local: true }));

  /** Each from another source: wrong ones are counted. */
  const send = (path: string, body: object, token?: string): Promise<Answer> =>
    agent.call("POST", path, { from: newAddress(), token, body });
  const login = ({ username }: Keeper, proof: object) =>
    send("/api/auth/login", { username, password, ...proof });
  const challenge = async (): Promise<string> => (await login(keeper, {})).json.challenge_token;
  const codesLeft = async ({ id }: Keeper): Promise<number> =>
    (await agent.read(`/api/users/${id}/2fa`)).recovery_codes_remaining;
  const nextCode = () => codeOf(keeper.secret, time.nowSeconds() + 30);
  /** Every route that takes a code, each as far as the code. */
  const routes: Record<string, (proof: object) => Promise<Answer>> = {
    login: (proof) => login(keeper, proof),
    totp: async (proof) => send("/api/auth/totp", { challenge_token: await challenge(), ...proof }),
    reauth: (proof) => send("/api/auth/reauth", { password, ...proof }, keeper.token),
    disable: (proof) => send(`/api/users/${keeper.id}/2fa/disable`, { password, ...proof }, keeper.token),
  };

  it("is no code at all, on every route, and does not say if the password is right (oracle)", async () => {
    const right = nextCode();
    const wrong = [`${right}0`, `${right.slice(0, 3)}\u0000${right.slice(3)}`, keeper.secret];
    for (const code of [...wrong, keeper.recoveryCodes[9]])
      for (const [route, ask] of Object.entries(routes)) {
        const { status, json } = await ask({ code });
        assert.deepEqual([status, json.code], [400, "validation_failed"], route);
        assert.deepEqual([json.errors[0].pointer, json.errors[0].code], ["/code", "no_code"], route);
      }
    const tries = [password, "another password"].map((one) => login(keeper, { password: one, code: "7552" }));
    const [first, second] = (await Promise.all(tries)).map(({ json }) => [json.code, json.detail]);
    assert.deepEqual(first, second);
  });

  it("that is none of them counts as no guess, at the client, the account or the challenge", async () => {
    const from = newAddress();
    const challenge_token = await challenge();
    const answer = async (proof: object) => {
      const body = { challenge_token, ...proof };
      return (await agent.call("POST", "/api/auth/totp", { from, body })).status;
    };
    const proofs = [{ code: "75522" }, { recovery_code: "not there" }, { code: keeper.recoveryCodes[9] }];
    for (let tries = 0; tries < 40; tries += 1)
      for (const proof of proofs) assert.equal(await answer(proof), 400);
    assert.equal(await answer({ code: nextCode() }), 200);
    time.pass(30);
  });

  it("is refused for its form, on every route, and spends no recovery code", async () => {
    for (const proof of [
      { code: { $ne: "" } },
      { recovery_code: keeper.recoveryCodes },
      { code: nextCode(), recovery_code: keeper.recoveryCodes[0] },
    ])
      for (const [route, ask] of Object.entries(routes))
        assert.equal(await outcome(ask(proof)), "400 validation_failed", route);
    assert.equal(await codesLeft(keeper), 10);
  });

  describe("as a recovery code", () => {
    const tried = (user: Keeper, recovery_code: string) => outcome(login(user, { recovery_code }));
    it("is taken once, in whatever spelling (replay)", async () => {
      const [first = "", second = ""] = keeper.recoveryCodes;
      for (const spelled of [first.toLowerCase(), second.replaceAll("-", " ")])
        assert.equal(await tried(keeper, spelled), "200");
      for (const again of [first, second, first.toLowerCase(), second.replaceAll("-", "")])
        assert.equal(await tried(keeper, again), "401 recovery_code_invalid");
    });
    it("is not taken of another user, and not spent by that", async () => {
      const [, , third = ""] = keeper.recoveryCodes;
      assert.equal(await tried(other, third), "401 recovery_code_invalid");
      assert.equal(await codesLeft(other), 10);
      assert.equal(await tried(keeper, third), "200");
    });
  });
});
