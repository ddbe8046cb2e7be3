import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { goodPassword, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { enrol } from "../../../lab/agents/enrol.ts";
import type { Answer } from "../../../lab/agents/running-agent.ts";
import { codeOf } from "../../../lab/basics/authenticator.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { passingTime } from "../../../lab/simulated/test-time.ts";
import { stepUpSeconds } from "../../../src/accounts/sessions/step-up.ts";

describe("a fresh sign-in", () => {
  const time = passingTime();

  let count = 0;
  const agent = ofSuite(() => startCheckedAgent({ time }));
  before(() => agent.signedInAdmin());

  /** A new administrator, who has not signed in yet. */
  const added = async (password: string | null = goodPassword) => {
    count += 1;
    const body = { username: `admin-${count}`, role: "admin", ...(password !== null && { password }) };
    const { json, text } = await agent.call("POST", "/api/users", { body, local: true });
    assert.ok(json.id ?? json.user?.id, text);
    return { username: body.username, password: json.initial_password ?? goodPassword };
  };
  const login = (user: object): Promise<Answer> => agent.call("POST", "/api/auth/login", { body: user });
  /** The code of a rescue, which takes the password of the last minutes; no user has this id. */
  const sensitive = async (token: string): Promise<string> => {
    const path = `/api/users/usr_${"0".repeat(32)}/rescue`;
    return (await agent.call("POST", path, { token })).json.code;
  };
  const isStepUp = async ({ json, text }: Answer): Promise<boolean> => {
    assert.ok(json.access_token, text);
    const code = await sensitive(json.access_token);
    assert.ok(["not_found", "step_up_required"].includes(code), code);
    return code === "not_found";
  };
  const withFactor = async () => {
    const user = await added();
    const { json } = await login(user);
    const enrolled = { id: json.user.id, token: json.access_token, password: goodPassword };
    const { secret, recoveryCodes } = await enrol(agent.call, enrolled, time.nowSeconds());
    return { user, code: () => codeOf(secret, time.nowSeconds() + 30), recoveryCodes };
  };

  it("with the password alone is the step-up of a user without a factor, for five minutes and no refresh more", async () => {
    const answer = await login(await added());
    assert.ok(await isStepUp(answer), "asked again right after the sign-in");
    time.pass(stepUpSeconds - 30);
    const { refresh_token } = answer.json;
    const renewed = await agent.call("POST", "/api/auth/refresh", { body: { refresh_token } });
    assert.ok(await isStepUp(renewed), "the session is the same");
    time.pass(30);
    assert.equal(await sensitive(renewed.json.access_token), "step_up_required");
  });

  it("is that of its own session alone", async () => {
    const user = await added();
    const before = await login(user);
    time.pass(stepUpSeconds);
    assert.ok(await isStepUp(await login(user)), "the new one");
    assert.equal(await isStepUp(before), false, "the one before");
  });

  it("with password and code is one, in one request or two", async () => {
    const { user, code } = await withFactor();
    assert.ok(await isStepUp(await login({ ...user, code: code() })), "in one");
    time.pass(60);
    const { challenge_token } = (await login(user)).json;
    const body = { challenge_token, code: code() };
    assert.ok(await isStepUp(await agent.call("POST", "/api/auth/totp", { body })), "in two");
  });

  it("with a recovery code is none (a code that was found opens one session)", async () => {
    const { user, recoveryCodes } = await withFactor();
    const [first, second, third] = recoveryCodes;
    assert.equal(await isStepUp(await login({ ...user, recovery_code: first })), false, "login");
    const { challenge_token } = (await login(user)).json;
    const body = { challenge_token, recovery_code: second };
    assert.equal(await isStepUp(await agent.call("POST", "/api/auth/totp", { body })), false, "totp");
    const path = `/api/users/${user.username}/2fa/recover`;
    const recovery = { password: user.password, recovery_code: third };
    assert.equal(await isStepUp(await agent.call("POST", path, { body: recovery })), false, "recover");
  });

  it("with a one-use password is none, also when its user has chosen another", async () => {
    const user = await added(null);
    const answer = await login(user);
    const token = answer.json.access_token;
    const body = { current_password: user.password, new_password: goodPassword };
    const changed = await agent.call("PUT", "/api/auth/password", { token, body });
    assert.equal(changed.status, 204, changed.text);
    assert.equal(await isStepUp(answer), false);
  });

  it("without the factor that the device asks for is none, also when that is asked for no more", async () => {
    const policy = (require_2fa: string) =>
      agent.call("PUT", "/api/system", { local: true, body: { security: { require_2fa } } });
    const user = await added();
    await policy("admins");
    const answer = await login(user);
    const path = `/api/users/${answer.json.user.id}/2fa/setup`;
    const enrolling = await agent.call("POST", path, { token: answer.json.access_token });
    assert.equal(enrolling.json.code, "step_up_required");
    await policy("none");
    assert.equal(await isStepUp(answer), false);
  });
});
