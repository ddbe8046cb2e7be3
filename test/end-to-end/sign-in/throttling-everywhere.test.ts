import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { before, beforeEach, describe, it } from "node:test";
import { goodPassword, type SignedIn, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { type Enrolled, enrol } from "../../../lab/agents/enrol.ts";
import { adminPassword, outcome } from "../../../lab/agents/running-agent.ts";
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
  const [password, recovery_code] = [goodPassword, noRecoveryCode];
  const changed = { current_password: wrongPassword, new_password: "seven lamps beside canals" };

  /** A route, and what is sent there, in which one thing is wrong. */
  type Guess = readonly [path: string, body: () => object];
  const ofStrangers: Record<string, Guess> = {
    "login, by password": ["auth/login", () => ({ username, password: wrongPassword })],
    "login, by code": ["auth/login", () => ({ username, password, code: wrongCode })],
    "login, by recovery code": ["auth/login", () => ({ username, password, recovery_code })],
    "totp, by code": ["auth/totp", () => ({ code: wrongCode })],
    "totp, by recovery code": ["auth/totp", () => ({ recovery_code })],
    "recover, by name": [`users/${username}/2fa/recover`, () => ({ password, recovery_code })],
    "recover, by id": ["users/ID/2fa/recover", () => ({ password: wrongPassword, recovery_code: right() })],
  };
  /** Those of a session count wherever it is, and do not concern the sign-in. */
  const ofSession: Record<string, Guess> = {
    "reauth, by password": ["auth/reauth", () => ({ password: wrongPassword, code: wrongCode })],
    "reauth, by code": ["auth/reauth", () => ({ password, code: wrongCode })],
    "disable, by password": ["users/ID/2fa/disable", () => ({ password: wrongPassword })],
    "disable, by recovery code": ["users/ID/2fa/disable", () => ({ password, recovery_code })],
    password: ["auth/password", () => changed],
  };
  const right = () => factor.recoveryCodes[0];
  const guess = ([path, body]: Guess, from: string, more: object = {}, token?: string) =>
    agent.call(path === "auth/password" ? "PUT" : "POST", `/api/${path.replace("ID", user.id)}`, {
      ...{ from, token, body: { ...body(), ...more } },
    });

  for (const [name, one] of Object.entries(ofStrangers)) {
    it(`counts: five wrong ones at ${name} shut the source out`, async () => {
      const from = newAddress();
      const beside = async (source: string) =>
        one[0] === "auth/totp" ? { challenge_token: await challenge(source) } : {};
      const first = await beside(from);
      for (let count = 0; count < 5; count += 1) {
        const { status, text } = await guess(one, from, first);
        assert.ok(status === 401 || status === 403, text);
      }
      assertThrottled(await guess(one, from, await beside(newAddress())));
      assertThrottled(await login(agent, from, username, goodPassword));
    });
  }

  it("counts those of a session apart, from wherever they come: five of them shut it out alone", async () => {
    for (const [name, one] of Object.entries(ofSession)) {
      const { status } = await guess(one, newAddress(), {}, user.token);
      assert.ok(status === 401 || status === 403, `${name}: ${status}`);
    }
    for (const one of Object.values(ofSession))
      assertThrottled(await guess(one, newAddress(), {}, user.token));
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
