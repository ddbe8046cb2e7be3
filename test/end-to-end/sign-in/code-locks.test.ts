import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { goodPassword, type SignedIn } from "../../../lab/agents/checked-agent.ts";
import { type Enrolled, enrol } from "../../../lab/agents/enrol.ts";
import { startTimedAgentInProcess } from "../../../lab/agents/faked-time.ts";
import { codeOf, wrongCodeOf } from "../../../lab/basics/authenticator.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { newAddress } from "./guessing.ts";

describe("ten wrong codes in a row, by a client that knows the password", () => {
  let user: SignedIn & Enrolled;
  const agent = ofSuite(() => startTimedAgentInProcess({ clock: { trust: "trusted" } }));
  const admin = ofSuite(() => agent.signedInAdmin());
  before(async () => {
    const { id, token, refreshToken } = await agent.signedIn("locked-out", "operator");
    const factor = await enrol(agent.call, { id, token, password: goodPassword }, agent.nowSeconds());
    user = { id, token, refreshToken, ...factor };
  });

  /** Each from another source, so that none of them is shut out itself. */
  const login = (proof: object) => {
    const body = { username: "locked-out", password: goodPassword, ...proof };
    return agent.call("POST", "/api/auth/login", { from: newAddress(), body });
  };
  const failTen = async () => {
    const code = wrongCodeOf(user.secret);
    for (let count = 0; count < 10; count += 1) {
      assert.equal((await login({ code })).json.code, "totp_invalid", `try ${count + 1}`);
    }
  };
  const rightCode = () => ({ code: codeOf(user.secret, agent.nowSeconds() + 30) });
  const assertLocked = async () => {
    const { status, json, headers } = await login(rightCode());
    assert.deepEqual([status, json.code], [429, "account_locked"]);
    const seconds = Number(headers["retry-after"]);
    assert.ok(seconds > 880 && seconds <= 900, `Retry-After: ${seconds}`);
  };
  const shown = async () =>
    (await agent.call("GET", `/api/users/${user.id}`, { token: admin.token })).json.locked;

  it("lock codes for fifteen minutes, from everywhere, and the right one is not looked at", async () => {
    assert.equal(await shown(), null);
    await failTen();
    await assertLocked();
    const { password, totp } = await shown();
    assert.deepEqual([password, totp], [false, true]);
  });

  it("lock them on every route that takes one", async () => {
    const { json } = await login({});
    const challenge = { challenge_token: json.challenge_token, ...rightCode() };
    const body = { password: goodPassword, ...rightCode() };
    for (const [path, sent] of [
      ["/api/auth/totp", challenge],
      ["/api/auth/reauth", body],
      [`/api/users/${user.id}/2fa/disable`, body],
    ] as const) {
      const options = { token: user.token, body: sent, from: newAddress() };
      assert.equal((await agent.call("POST", path, options)).json.code, "account_locked", path);
    }
  });

  it("are forgotten when an administrator unlocks the user", async () => {
    await assertLocked();
    const unlocked = await agent.call("POST", `/api/users/${user.id}/unlock`, { token: admin.token });
    assert.deepEqual([unlocked.status, unlocked.json.locked], [200, null]);
    const { json } = await login({ code: wrongCodeOf(user.secret) });
    assert.equal(json.code, "totp_invalid", "codes are looked at again");
  });
});
