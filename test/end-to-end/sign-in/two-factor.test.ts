import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { type CheckedAgent, goodPassword, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { enrol } from "../../../lab/agents/enrol.ts";
import { outcome, stepUp } from "../../../lab/agents/running-agent.ts";
import { codeOf } from "../../../lab/basics/authenticator.ts";
import { atEnd, ofSuite } from "../../../lab/basics/ending.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { passingTime, standingTime } from "../../../lab/simulated/test-time.ts";
import { stepUpSeconds } from "../../../src/accounts/sessions/step-up.ts";

const login = (agent: CheckedAgent, proof: object = {}) =>
  agent.call("POST", "/api/auth/login", { body: { username: "ana", password: goodPassword, ...proof } });

describe("two-factor sign-in", () => {
  const time = passingTime();
  const agent = ofSuite(() => startCheckedAgent({ time }));
  ofSuite(() => agent.signedInAdmin());
  const ana = ofSuite(() => agent.signedIn("ana", "operator"));
  let path: string;
  before(() => {
    path = `/api/users/${ana.id}/2fa`;
  });
  const isIn = async (token: string) => (await agent.call("GET", "/api/auth/me", { token })).status === 200;

  it("is set up with the password given lately, ends other sessions, and is asked for behind the password", async () => {
    const other = await agent.login("ana", goodPassword);
    const setUp = ({ token }: { token: string }) => agent.call("POST", `${path}/setup`, { token });
    assert.equal((await setUp(other)).status, 200, "it has just signed in");
    time.pass(stepUpSeconds);
    assert.equal(await outcome(setUp(other)), "401 step_up_required");
    await stepUp(agent.call, ana.token, goodPassword);
    const { json } = await setUp(ana);
    assert.deepEqual([json.algorithm, json.digits, json.period], ["SHA1", 6, 30]);
    assert.match(json.qr_svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    assert.ok(json.otpauth_uri.includes(`secret=${json.secret}`), "the URI has the secret");
    assert.equal((await login(agent)).status, 200, "it has changed nothing then");

    const owner = { ...ana, password: goodPassword };
    const { secret, recoveryCodes } = await enrol(agent.call, owner, time.nowSeconds());
    assert.deepEqual([await isIn(other.token), await isIn(ana.token)], [false, true]);
    const { enabled, recovery_codes_remaining, locked } = await agent.read(path);
    assert.deepEqual([enabled, recovery_codes_remaining, locked], [true, 10, null]);

    const { challenge_token } = (await login(agent)).json;
    const wrong = await login(agent, { password: "not the right password", code: "123456" });
    assert.deepEqual([wrong.json.code, wrong.json.challenge_token], ["invalid_credentials", undefined]);
    const body = { challenge_token, code: codeOf(secret, time.nowSeconds() + 30) };
    assert.equal((await agent.call("POST", "/api/auth/totp", { body })).status, 200);
    for (const expected of ["200", "401 recovery_code_invalid"])
      assert.equal(await outcome(login(agent, { recovery_code: recoveryCodes[0] })), expected);
    assert.equal((await agent.read(path)).recovery_codes_remaining, 9);
  });

  it("is taken away by an administrator who says why, which an event tells", async () => {
    const { token } = await agent.signedIn("berta", "admin");
    const reset = (body: object) => outcome(agent.call("POST", `${path}/recover`, { token, body }));
    assert.equal(await reset({}), "400 validation_failed");
    for (const expected of ["200", "409 two_factor_not_enabled"])
      assert.equal(await reset({ reason: "lost phone, badge shown" }), expected);
    assert.deepEqual([(await agent.read(path)).enabled, await isIn(ana.token)], [false, false]);
    const [{ actor, subject, details }] = (await agent.read("/api/events?type=two_factor.recovered")).items;
    assert.deepEqual([actor.name, subject.name, details.reason], ["berta", "ana", "lost phone, badge shown"]);
  });
});

describe("two-factor secrets at rest", () => {
  it("outlive a restart, and without their key leave the recovery codes", async (test) => {
    const stateDirectory = join(scratchDirectory(), "state");
    const time = standingTime();
    const first = await startCheckedAgent({ stateDirectory, time });
    await first.signedInAdmin();
    const ana = { ...(await first.signedIn("ana", "admin")), password: goodPassword };
    const { secret, recoveryCodes } = await enrol(first.call, ana, time.nowSeconds());
    await first.dispose();

    const second = await startCheckedAgent({ stateDirectory, time });
    const code = codeOf(secret, time.nowSeconds() + 30);
    assert.equal((await login(second, { code })).status, 200);
    await second.dispose();

    await rm(join(stateDirectory, ".seal.key"));
    const third = await startCheckedAgent({ stateDirectory, time });
    atEnd(test, () => third.dispose());
    assert.equal(await outcome(login(third, { code: "123456" })), "503 second_factor_unavailable");
    const { json } = await login(third, { recovery_code: recoveryCodes[0] });
    assert.equal(json.user.two_factor.recovery_codes_remaining, 9);

    // A client need not try a code to find out.
    const { status, checks } = await third.read("/api/health");
    const check = checks.find(({ name }: { name: string }) => name === "two-factor key");
    assert.equal(status, "degraded");
    assert.match(check.detail, /1 user is affected.*user rescue NAME/);
    assert.match(third.log(), /a key for two-factor secrets was made/);
    const user = `/api/users/${json.user.id}`;
    assert.equal((await third.read(user)).two_factor.sealing_key, "missing");
    assert.equal((await third.read(`${user}/2fa`)).sealing_key, "missing");
  });
});
