import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type CheckedAgent, goodPassword, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { type Enrolled, enrol } from "../../../lab/agents/enrol.ts";
import { adminPassword, outcome, stepUp } from "../../../lab/agents/running-agent.ts";
import { codeOf } from "../../../lab/basics/authenticator.ts";
import { atEnd, ofSuite, temporaryDirectory } from "../../../lab/basics/ending.ts";
import { passingTime, standingTime } from "../../../lab/simulated/test-time.ts";
import { stepUpSeconds } from "../../../src/accounts/sessions/step-up.ts";

const login = (agent: CheckedAgent, username: string, proof: object = {}) =>
  agent.call("POST", "/api/auth/login", { body: { username, password: goodPassword, ...proof } });

describe("two-factor sign-in", () => {
  const time = passingTime();

  const agent = ofSuite(() => startCheckedAgent({ time }));
  const admin = ofSuite(() => agent.signedInAdmin());

  const isIn = async (token: string) => (await agent.call("GET", "/api/auth/me", { token })).status === 200;
  const factorOf = async (id: string, token: string) =>
    (await agent.call("GET", `/api/users/${id}/2fa`, { token })).json;

  describe("from setup to its end", () => {
    let enrolled: Enrolled;
    const ana = ofSuite(() => agent.signedIn("ana", "operator"));
    const other = ofSuite(() => agent.login("ana", goodPassword));

    it("is set up with the password given lately, and has changed nothing then", async () => {
      const path = `/api/users/${ana.id}/2fa/setup`;
      assert.equal(
        (await agent.call("POST", path, { token: other.token })).status,
        200,
        "it has just signed in",
      );
      time.pass(stepUpSeconds);
      assert.equal(await outcome(agent.call("POST", path, { token: other.token })), "401 step_up_required");
      await stepUp(agent.call, ana.token, goodPassword);
      const { json } = await agent.call("POST", path, { token: ana.token });
      assert.deepEqual([json.algorithm, json.digits, json.period], ["SHA1", 6, 30]);
      assert.match(json.qr_svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
      assert.ok(json.otpauth_uri.includes(`secret=${json.secret}`), "the URI has the secret");
      assert.equal((await factorOf(ana.id, ana.token)).enabled, false);
      assert.equal((await login(agent, "ana")).status, 200);
    });

    it("enabled, ends the other sessions at once and leaves this one", async () => {
      enrolled = await enrol(agent.call, { ...ana, password: goodPassword }, time.nowSeconds());
      assert.deepEqual([await isIn(other.token), await isIn(ana.token)], [false, true]);
      const status = await factorOf(ana.id, admin.token);
      assert.deepEqual([status.enabled, status.recovery_codes_remaining, status.locked], [true, 10, null]);
    });

    it("asks for the code behind the right password alone, and says nothing of it behind a wrong one", async () => {
      const { status, json } = await login(agent, "ana");
      assert.deepEqual([status, json.code], [401, "totp_required"]);
      const wrong = await login(agent, "ana", { password: "not the right password", code: "123456" });
      assert.deepEqual([wrong.json.code, wrong.json.challenge_token], ["invalid_credentials", undefined]);
      const code = codeOf(enrolled.secret, time.nowSeconds() + 30);
      const body = { challenge_token: json.challenge_token, code };
      assert.equal((await agent.call("POST", "/api/auth/totp", { body })).status, 200);
    });

    it("a recovery code signs in once and keeps the factor", async () => {
      const proof = { recovery_code: enrolled.recoveryCodes[0] };
      assert.equal((await login(agent, "ana", proof)).status, 200);
      assert.equal((await login(agent, "ana", proof)).json.code, "recovery_code_invalid");
      assert.equal((await factorOf(ana.id, ana.token)).recovery_codes_remaining, 9);
    });
  });

  it("is taken away by an administrator who says why and gives the password again", async () => {
    const ben = await agent.signedIn("ben", "readonly");
    await enrol(agent.call, { ...ben, password: goodPassword }, time.nowSeconds());
    const path = `/api/users/${ben.id}/2fa/recover`;
    const reset = (token: string, body: object = { reason: "lost phone, badge shown" }) =>
      agent.call("POST", path, { token, body });
    assert.equal((await reset(ben.token)).json.code, "forbidden");
    assert.equal((await reset("bad")).json.code, "invalid_token");
    assert.equal((await reset(admin.token, {})).json.code, "validation_failed");
    time.pass(stepUpSeconds);
    assert.equal((await reset(admin.token)).json.code, "step_up_required");
    await stepUp(agent.call, admin.token, adminPassword);
    const { status, json } = await reset(admin.token);
    assert.deepEqual([status, json.two_factor.enabled], [200, false]);
    assert.equal(await isIn(ben.token), false);
    assert.equal((await reset(admin.token)).json.code, "two_factor_not_enabled");
    const { items } = await agent.read("/api/events?after=0&type=two_factor.recovered");
    const last = items.at(-1);
    assert.deepEqual([last.actor.name, last.subject.name], ["root-admin", "ben"]);
    assert.equal(last.details.reason, "lost phone, badge shown");
  });
});

describe("two-factor secrets at rest", () => {
  it("outlive a restart, and without their key leave the recovery codes", async (test) => {
    const stateDirectory = join(await temporaryDirectory(test), "state");
    const time = standingTime();
    const first = await startCheckedAgent({ stateDirectory, time });
    await first.signedInAdmin();
    const ana = await first.signedIn("ana", "admin");
    const { secret, recoveryCodes } = await enrol(
      first.call,
      { ...ana, password: goodPassword },
      time.nowSeconds(),
    );
    await first.dispose();

    const second = await startCheckedAgent({ stateDirectory, time });
    const code = codeOf(secret, time.nowSeconds() + 30);
    assert.equal((await login(second, "ana", { code })).status, 200);
    await second.dispose();

    await rm(join(stateDirectory, ".seal.key"));
    const third = await startCheckedAgent({ stateDirectory, time });
    atEnd(test, () => third.dispose());
    assert.equal(await outcome(login(third, "ana", { code: "123456" })), "503 second_factor_unavailable");
    const { json } = await login(third, "ana", { recovery_code: recoveryCodes[0] });
    assert.equal(json.user.two_factor.recovery_codes_remaining, 9);

    // A client need not try a code to find out.
    const health = await third.call("GET", "/api/health", { local: true });
    assert.equal(health.json.status, "degraded");
    const check = health.json.checks.find(({ name }: { name: string }) => name === "two-factor key");
    assert.match(check.detail, /1 user is concerned.*user rescue NAME/);
    assert.match(third.log(), /a key for two-factor secrets was made/);
    for (const path of [`/api/users/${json.user.id}`, `/api/users/${json.user.id}/2fa`]) {
      const seen = await third.read(path);
      assert.equal((seen.two_factor ?? seen).sealing_key, "missing");
    }
  });
});
