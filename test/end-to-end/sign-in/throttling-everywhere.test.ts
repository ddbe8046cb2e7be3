import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { before, beforeEach, describe, it } from "node:test";
import { goodPassword, type SignedIn, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { type Enrolled, enrol } from "../../../lab/agents/enrol.ts";
import { adminPassword, outcome } from "../../../lab/agents/running-agent.ts";
import { wrongCodeOf } from "../../../lab/basics/authenticator.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";
import { assertThrottled, login, newAddress, sealedSeconds, wrongPassword } from "./guessing.ts";

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
  beforeEach(() => agent.call("POST", `/api/users/${user.id}/unlock`, { local: true }));

  /** The recovery code is well-formed, but no user has it. */
  const [password, recovery_code] = [goodPassword, "K7QM-2F9X-0TRB-5WHD"];
  const changed = { current_password: wrongPassword, new_password: "seven lamps beside canals" };
  const right = () => factor.recoveryCodes[0];

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
  const guess = async ([path, body]: Guess, from: string, more: object = {}, token?: string) =>
    agent.call(path === "auth/password" ? "PUT" : "POST", `/api/${path.replace("ID", user.id)}`, {
      ...{ from, token, body: { ...body(), ...more } },
    });

  for (const [name, one] of Object.entries(ofStrangers))
    it(`counts: five wrong ones at ${name} shut the source out`, async () => {
      const from = newAddress();
      const challenged = async () => {
        if (one[0] !== "auth/totp") return {};
        const { json } = await login(agent, newAddress(), username, goodPassword);
        return { challenge_token: json.challenge_token };
      };
      const first = await challenged();
      for (let count = 0; count < 5; count += 1)
        assert.match(await outcome(guess(one, from, first)), /^40[13] /);
      assertThrottled(await guess(one, from, await challenged()));
      assertThrottled(await login(agent, from, username, goodPassword));
    });

  it("counts those of a session apart, from wherever they come: five of them shut it out alone", async () => {
    const all = Object.values(ofSession);
    const { token } = user;
    for (const one of all) assert.match(await outcome(guess(one, newAddress(), {}, token)), /^40[13] /);
    for (const one of all) assertThrottled(await guess(one, newAddress(), {}, token));
    assert.equal((await login(agent, newAddress(), username, goodPassword)).json.code, "totp_required");
  });
});

describe("wrong setup tokens", () => {
  const time = standingTime();
  const agent = ofSuite(() => startCheckedAgent({ time }));

  it("count against their source, and keep the right one out of nothing: it is still what the link says", async () => {
    const from = newAddress();
    const guess = (setup_token: string) =>
      agent.call("POST", "/api/setup", {
        ...{ from, body: { setup_token, username: "first-admin", password: adminPassword } },
      });
    for (let count = 0; count < 20; count += 1)
      assert.equal(await outcome(guess(`guess-number-${count}`)), "401 setup_token_invalid");
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
