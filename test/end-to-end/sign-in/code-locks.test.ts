import assert from "node:assert/strict";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { goodPassword, type SignedIn } from "../../../lab/agents/checked-agent.ts";
import { type Enrolled, enrol } from "../../../lab/agents/enrol.ts";
import { startTimedAgentInProcess } from "../../../lab/agents/faked-time.ts";
import { codeOf, wrongCodeOf } from "../../../lab/basics/authenticator.ts";
import { counted } from "../../../lab/basics/counts.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
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

  it("leave the recovery codes, which sign in and keep the lock", async () => {
    assert.equal((await login({ recovery_code: user.recoveryCodes[0] })).status, 200);
    await assertLocked();
  });

  it("hold while the clock is not trusted, and end when it is: its error may have made them wrong", async () => {
    agent.knowClock({ trust: "none" });
    await assertLocked();
    agent.knowClock({ trust: "trusted" });
    assert.equal((await login(rightCode())).status, 200);
  });

  it("are forgotten when an administrator unlocks the user", async () => {
    await failTen();
    await assertLocked();
    const unlocked = await agent.call("POST", `/api/users/${user.id}/unlock`, { token: admin.token });
    assert.deepEqual([unlocked.status, unlocked.json.locked], [200, null]);
    const { json } = await login({ code: wrongCodeOf(user.secret) });
    assert.equal(json.code, "totp_invalid", "codes are looked at again");
  });

  it("do not lock the way back: a recovery removes factor and lock", async () => {
    for (let count = 0; count < 9; count += 1) await login({ code: wrongCodeOf(user.secret) });
    await assertLocked();
    const body = { password: goodPassword, recovery_code: user.recoveryCodes[1] };
    const path = "/api/users/locked-out/2fa/recover";
    const recovered = await agent.call("POST", path, { from: newAddress(), body });
    assert.deepEqual([recovered.status, recovered.json.user?.locked], [200, null]);
    assert.equal((await login({})).status, 200);
  });
});

/** The agent looks at ten of them. */
const parallel = counted({ usual: 30, all: 100 });

describe(`${parallel} wrong codes at the same moment`, () => {
  it("are looked at ten times: the others learn nothing (parallel guessing, right after a start)", async (test) => {
    const home = scratchDirectory();
    const stateDirectory = join(home, "state");
    const clock = { trust: "trusted" };
    const first = await startTimedAgentInProcess({ clock, stateDirectory });
    await first.signedInAdmin();
    const user = await first.signedIn("besieged", "operator");
    const { secret } = await enrol(first.call, { ...user, password: goodPassword }, first.nowSeconds());
    await first.dispose();
    const agent = await startTimedAgentInProcess({ clock, stateDirectory });
    test.after(() => agent.dispose());
    const body = { username: "besieged", password: goodPassword };
    const challenges: string[] = [];
    for (let count = 0; count < parallel; count += 1) {
      const { json } = await agent.call("POST", "/api/auth/login", { from: newAddress(), body });
      challenges.push(json.challenge_token);
    }
    const code = wrongCodeOf(secret);
    const codes = await Promise.all(
      challenges.map(async (challenge_token) => {
        const sent = { from: newAddress(), body: { challenge_token, code } };
        return (await agent.call("POST", "/api/auth/totp", sent)).json.code;
      }),
    );
    assert.equal(codes.filter((one) => one === "totp_invalid").length, 10);
    assert.equal(codes.filter((one) => one === "account_locked").length, parallel - 10);
  });
});
