import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { before, beforeEach, describe, it } from "node:test";
import { promisify } from "node:util";
import { goodPassword, type SignedIn, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { type Enrolled, enrol } from "../../../lab/agents/enrol.ts";
import { adminName, adminPassword, outcome } from "../../../lab/agents/running-agent.ts";
import { wrongCodeOf } from "../../../lab/basics/authenticator.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { asRoot } from "../../../lab/host/host-file-of-root.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";
import { assertThrottled, fail, login, newAddress, sealedSeconds, told, wrongPassword } from "./guessing.ts";

describe("wrong passwords", () => {
  // Their delays are over when a test says so.
  const time = standingTime();
  const agent = ofSuite(() => startCheckedAgent({ time }));
  before(() => agent.signedInAdmin());
  const right = (from: string) => login(agent, from, adminName, adminPassword);

  it("sent all at once are counted before they are looked at: no more than five are (parallel guessing)", async () => {
    const from = newAddress();
    const tries = Array.from({ length: 20 }, () => login(agent, from, adminName, wrongPassword));
    const all = await Promise.all(tries);
    const looked = all.filter(({ status }) => status === 401).length;
    assert.ok(looked >= 1 && looked <= 5, `${looked} were looked at`);
    for (const { status, json } of all)
      assert.ok(status === 401 || ["hashing_busy", "too_many_attempts"].includes(json.code), json.code);
    assert.deepEqual(await fail(agent, from, 5 - looked), Array(5 - looked).fill(401));
    assertThrottled(await right(from));
    assert.equal((await right(newAddress())).status, 200, "another source");
    time.pass(30);
    assert.equal((await right(from)).status, 200, "thirty seconds later");
  });

  it("at twenty invented names seal every other answer there, and keep the right password out of nothing", async () => {
    const from = newAddress();
    for (let name = 0; name < 20; name += 1) await fail(agent, from, 1, `invented-${name}`);
    const names = [adminName, "nobody-of-this-name"];
    const sealed = Promise.all(names.map((name) => login(agent, from, name, wrongPassword)));
    await time.passWhenAwaited(sealedSeconds, 2);
    const [real, none] = await sealed;
    assert.ok(real && none);
    assertThrottled(real, 600);
    assert.deepEqual(told(none), told(real));
    const { status, json } = await right(from);
    assert.equal(status, 200, "sign-in");
    const body = { password: adminPassword };
    const stepUp = await agent.call("POST", "/api/auth/reauth", { from, token: json.access_token, body });
    assert.equal(stepUp.status, 200, "step-up");
  });

  it(
    "of another user of this device are counted by that user's id, and leave the others alone",
    asRoot,
    async () => {
      const body = JSON.stringify({ username: adminName, password: wrongPassword });
      const request = `POST /api/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
      const script =
        'for _ in 1 2 3 4 5 6; do exec 3<>"/dev/tcp/127.0.0.1/$1"; printf %s "$2" >&3; head -n 1 <&3; done';
      const args = ["-c", script, "bash", String(agent.port), request];
      const { stdout } = await promisify(execFile)("bash", args, { uid: 65_534 });
      assert.deepEqual(stdout.match(/ (401|429) /g), [...Array(5).fill(" 401 "), " 429 "]);
      await agent.login(adminName, adminPassword);
    },
  );

  it("are not what a console sends that was left open: two hundred stale tokens lock no user out", async () => {
    const { token, refreshToken } = await agent.login(adminName, adminPassword);
    await agent.call("POST", "/api/auth/logout", { body: { refresh_token: refreshToken } });
    const from = newAddress();
    for (let round = 0; round < 10; round += 1) {
      const stale = Array.from({ length: 20 }, () => agent.call("GET", "/api/auth/me", { token, from }));
      for (const { status } of await Promise.all(stale)) assert.equal(status, 401);
    }
    await fail(agent, from, 4);
    assert.equal((await right(from)).status, 200);
  });
});

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
