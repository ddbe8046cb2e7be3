import assert from "node:assert/strict";
import { before, beforeEach, describe, it } from "node:test";
import { goodPassword, type SignedIn, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { type Enrolled, enrol } from "../../../lab/agents/enrol.ts";
import { type Answer, outcome } from "../../../lab/agents/running-agent.ts";
import { codeOf } from "../../../lab/basics/authenticator.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";
import { newAddress } from "./guessing.ts";

const password = goodPassword;

const time = standingTime();
const nextCode = (secret: string): string => codeOf(secret, time.nowSeconds() + 30);

interface Keeper extends SignedIn, Enrolled {
  username: string;
}

describe("what people and programs send as a code", () => {
  let keeper: Keeper;
  const agent = ofSuite(() => startCheckedAgent({ time }));
  before(async () => {
    await agent.signedInAdmin();
    keeper = await enrolled("keeper");
  });

  const enrolled = async (username: string): Promise<Keeper> => {
    const user = await agent.signedIn(username, "readonly");
    return { ...user, username, ...(await enrol(agent.call, { ...user, password }, time.nowSeconds())) };
  };
  /** Each from another source: wrong ones are counted. */
  const login = (username: string, proof: object): Promise<Answer> =>
    agent.call("POST", "/api/auth/login", { from: newAddress(), body: { username, password, ...proof } });
  const challengeOf = async (username: string): Promise<string> =>
    (await login(username, {})).json.challenge_token;
  const codesLeft = async (user: SignedIn): Promise<number> => {
    const json = await agent.read(`/api/users/${user.id}/2fa`);
    return json.recovery_codes_remaining;
  };
  const bySession = (path: string, proof: object) => {
    const body = { password, ...proof };
    return agent.call("POST", path, { from: newAddress(), token: keeper.token, body });
  };
  /** Every route that takes a code, each as far as the code. */
  const routes: Record<string, (proof: object) => Promise<Answer>> = {
    login: (proof) => login(keeper.username, proof),
    totp: async (proof) => {
      const body = { challenge_token: await challengeOf(keeper.username), ...proof };
      return agent.call("POST", "/api/auth/totp", { from: newAddress(), body });
    },
    reauth: (proof) => bySession("/api/auth/reauth", proof),
    disable: (proof) => bySession(`/api/users/${keeper.id}/2fa/disable`, proof),
  };

  describe("is no code at all", () => {
    // Ten of them would lock the codes.
    beforeEach(async () => {
      const unlocked = await agent.call("POST", `/api/users/${keeper.id}/unlock`, { local: true });
      assert.equal(unlocked.status, 200);
    });
    const wrong: Record<string, (right: string) => string> = {
      "with seven digits": (right) => `${right}0`,
      "with a NUL within": (right) => `${right.slice(0, 3)}\u0000${right.slice(3)}`,
      "that is the secret": () => keeper.secret,
      "that is a recovery code": () => keeper.recoveryCodes[9] ?? "",
    };
    for (const [name, spoil] of Object.entries(wrong)) {
      it(name, async () => {
        for (const [route, send] of Object.entries(routes)) {
          const { status, json } = await send({ code: spoil(nextCode(keeper.secret)) });
          assert.deepEqual([status, json.code], [400, "validation_failed"], route);
          assert.deepEqual([json.errors[0].pointer, json.errors[0].code], ["/code", "no_code"], route);
        }
      });
    }
    it("and none of these counts as a guess, at the client, the account or the challenge", async () => {
      const from = newAddress();
      const challenge_token = await challengeOf(keeper.username);
      const send = (proof: object) =>
        agent.call("POST", "/api/auth/totp", { from, body: { challenge_token, ...proof } });
      const proofs = [{ code: "75522" }, { recovery_code: "not there" }, { code: keeper.recoveryCodes[9] }];
      for (let tries = 0; tries < 40; tries += 1)
        for (const proof of proofs) assert.equal((await send(proof)).status, 400);
      assert.equal((await send({ code: nextCode(keeper.secret) })).status, 200);
      time.pass(30);
    });
    it("nor does it say if the password is right (oracle)", async () => {
      const tried = (one: string) => login(keeper.username, { password: one, code: "75522" });
      const answers = await Promise.all([password, "another password"].map(tried));
      const [right, wrong] = answers.map(({ status, json }) => [status, json.code, json.detail]);
      assert.deepEqual(right, wrong);
    });
  });

  describe("is refused for its form, on every route", () => {
    const malformed: [string, () => object][] = [
      ["that is a number", () => ({ code: Number(nextCode(keeper.secret)) })],
      ["in an object", () => ({ code: { $ne: "" } })],
      ["that is a recovery code of 257 characters", () => ({ recovery_code: "A".repeat(257) })],
      ["that is a recovery code in a list", () => ({ recovery_code: keeper.recoveryCodes })],
      [
        "with a recovery code",
        () => ({ code: nextCode(keeper.secret), recovery_code: keeper.recoveryCodes[0] }),
      ],
    ];
    for (const [name, make] of malformed) {
      it(name, async () => {
        for (const [route, send] of Object.entries(routes)) {
          assert.equal(await outcome(send(make())), "400 validation_failed", route);
        }
        assert.equal(await codesLeft(keeper), 10, "no recovery code was spent");
      });
    }
  });

  describe("as a recovery code", () => {
    let owner: Keeper;
    let other: Keeper;
    before(async () => {
      owner = await enrolled("code-owner");
      other = await enrolled("code-other");
    });
    const codes = (index: number) => owner.recoveryCodes[index] ?? "";
    const isTaken = async (recovery_code: string, username = owner.username) =>
      (await login(username, { recovery_code })).status === 200;
    it("is taken once, in whatever spelling (replay)", async () => {
      assert.ok(await isTaken(codes(0).toLowerCase()), "small letters");
      assert.ok(await isTaken(codes(1).replaceAll("-", " ")), "with blanks");
      for (const again of [codes(0), codes(1), codes(0).toLowerCase(), codes(1).replaceAll("-", "")]) {
        const answer = login(owner.username, { recovery_code: again });
        assert.equal(await outcome(answer), "401 recovery_code_invalid");
      }
    });
    it("is not taken of another user, and not spent by that", async () => {
      assert.equal(await isTaken(codes(6), other.username), false);
      assert.equal(await codesLeft(other), 10);
      assert.ok(await isTaken(codes(6)), "by its owner");
    });
  });
});
