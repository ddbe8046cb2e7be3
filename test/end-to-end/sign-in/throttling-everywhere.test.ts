import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { before, beforeEach, describe, it } from "node:test";
import { goodPassword, type SignedIn, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { type Enrolled, enrol } from "../../../lab/agents/enrol.ts";
import { type Answer, adminPassword, outcome } from "../../../lab/agents/running-agent.ts";
import { wrongCodeOf } from "../../../lab/basics/authenticator.ts";
import { atEnd, ofSuite } from "../../../lab/basics/ending.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";
import { assertThrottled, login, newAddress, sealedSeconds, wrongPassword } from "./guessing.ts";

/** Well-formed, but no user has it. */
const noRecoveryCode = "K7QM-2F9X-0TRB-5WHD";

describe("every route that takes a secret", () => {
  let user: SignedIn;
  let factor: Enrolled;
  let wrongCode: string;
  const username = "guessed-at";
  const time = standingTime();
  const agent = ofSuite(() => startCheckedAgent({ time }));
  before(async () => {
    await agent.signedInAdmin();
    user = await agent.signedIn(username, "operator");
    factor = await enrol(agent.call, { ...user, password: goodPassword }, time.nowSeconds());
    wrongCode = wrongCodeOf(factor.secret);
  });
  // Ten wrong codes would lock them, from wherever they come.
  beforeEach(async () => {
    const unlocked = await agent.call("POST", `/api/users/${user.id}/unlock`, { local: true });
    assert.equal(unlocked.status, 200);
  });

  const challenge = async (from: string): Promise<string> => {
    const { json } = await login(agent, from, username, goodPassword);
    return json.challenge_token;
  };
  const post = (path: string, from: string, body: object, token?: string) =>
    agent.call("POST", path, { from, body, token });

  type Guess = (from: string, challengeToken: string) => Promise<Answer>;
  const password = goodPassword;
  const guesses: Record<string, Guess> = {
    "login, by password": (from) => login(agent, from, username, wrongPassword),
    "login, by code": (from) => post("/api/auth/login", from, { username, password, code: wrongCode }),
    "login, by recovery code": (from) =>
      post("/api/auth/login", from, { username, password, recovery_code: noRecoveryCode }),
    "totp, by code": (from, challenge_token) =>
      post("/api/auth/totp", from, { challenge_token, code: wrongCode }),
    "totp, by recovery code": (from, challenge_token) =>
      post("/api/auth/totp", from, { challenge_token, recovery_code: noRecoveryCode }),
    "recover, by name": (from) =>
      post(`/api/users/${username}/2fa/recover`, from, { password, recovery_code: noRecoveryCode }),
    "recover, by id": (from) =>
      post(`/api/users/${user.id}/2fa/recover`, from, {
        password: wrongPassword,
        recovery_code: factor.recoveryCodes[0],
      }),
    "reauth, by password": (from) =>
      post("/api/auth/reauth", from, { password: wrongPassword, code: wrongCode }, user.token),
    "reauth, by code": (from) => post("/api/auth/reauth", from, { password, code: wrongCode }, user.token),
    "disable, by password": (from) =>
      post(`/api/users/${user.id}/2fa/disable`, from, { password: wrongPassword }, user.token),
    "disable, by recovery code": (from) =>
      post(
        `/api/users/${user.id}/2fa/disable`,
        from,
        { password, recovery_code: noRecoveryCode },
        user.token,
      ),
    password: (from) =>
      agent.call("PUT", "/api/auth/password", {
        from,
        token: user.token,
        body: { current_password: wrongPassword, new_password: "seven lamps beside canals" },
      }),
  };

  /** A session's own, which is wherever it is and does not concern the sign-in. */
  const isOfSession = (name: string) => /^(reauth|disable|password)/.test(name);

  for (const [name, guess] of Object.entries(guesses)) {
    if (isOfSession(name)) continue;
    it(`counts: five wrong ones at ${name} shut the source out`, async () => {
      const from = newAddress();
      const token = await challenge(from);
      for (let count = 0; count < 5; count += 1) {
        const { status, text } = await guess(from, token);
        assert.ok(status === 401 || status === 403, text);
      }
      const fresh = await challenge(newAddress());
      assertThrottled(await guess(from, fresh));
      assertThrottled(await login(agent, from, username, goodPassword));
    });
  }

  it("counts those of a session apart, from wherever they come: five of them shut it out alone", async () => {
    for (const name of [
      "reauth, by password",
      "reauth, by code",
      "disable, by password",
      "disable, by recovery code",
      "password",
    ]) {
      const { status } = (await guesses[name]?.(newAddress(), "")) ?? {};
      assert.ok(status === 401 || status === 403, `${name}: ${status}`);
    }
    for (const [name, guess] of Object.entries(guesses)) {
      if (isOfSession(name)) assertThrottled(await guess(newAddress(), ""));
    }
    assert.equal((await login(agent, newAddress(), username, goodPassword)).json.code, "totp_required");
  });
});

describe("wrong setup tokens", () => {
  it("count against their source, and keep the right one out of nothing: it is still what the link says", async (test) => {
    const time = standingTime();
    const agent = await startCheckedAgent({ time });
    atEnd(test, () => agent.dispose());
    const from = newAddress();
    const guess = (setup_token: string, source = from) =>
      agent.call("POST", "/api/setup", {
        from: source,
        body: { setup_token, username: "first-admin", password: adminPassword },
      });
    for (let count = 0; count < 20; count += 1) {
      assert.equal(await outcome(guess(`guess-number-${count}`)), "401 setup_token_invalid");
    }
    const right = (await readFile(join(agent.runDirectory, "setup-token"), "utf8")).trim();
    const sealed = guess("another");
    await time.passWhenAwaited(sealedSeconds);
    assertThrottled(await sealed, 600);
    assert.equal((await guess(right)).status, 201);
    const unknown = login(agent, from, "nobody-of-this-name", adminPassword);
    await time.passWhenAwaited(sealedSeconds);
    assertThrottled(await unknown, 600);
    assert.equal((await login(agent, from, "first-admin", adminPassword)).status, 200);
  });
});
