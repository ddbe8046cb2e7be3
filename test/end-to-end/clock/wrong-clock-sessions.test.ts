import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { SignedIn } from "../../../lab/agents/checked-agent.ts";
import { startTimedAgent } from "../../../lab/agents/faked-time.ts";
import { type Answer, adminName, adminPassword } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";

const day = 86_400;

/** Monotonic time decides here, so it must not matter where the wall clock goes. */
describe("a session under a clock that is stepped", () => {
  const agent = ofSuite(() =>
    startTimedAgent({ clock: { trust: "trusted", state: "synchronised", synchronised: true } }),
  );
  const admin = ofSuite(() => agent.signedInAdmin());
  const other = ofSuite(() => agent.signedIn("olga", "operator"));

  const me = (token: string) => agent.call("GET", "/api/auth/me", { token });
  const refresh = (refresh_token: string) =>
    agent.call("POST", "/api/auth/refresh", { body: { refresh_token } });
  const events = async (type: string) =>
    (await agent.call("GET", `/api/events?after=0&type=${type}`, { local: true })).json.items;
  /** Exchanges, and keeps the new pair. */
  const renew = async (user: SignedIn): Promise<Answer> => {
    const answer = await refresh(user.refreshToken);
    assert.equal(answer.status, 200, answer.text);
    Object.assign(user, { token: answer.json.access_token, refreshToken: answer.json.refresh_token });
    return answer;
  };

  describe("by 90 days ahead, in mid-session", () => {
    let refused: Answer;
    before(async () => {
      assert.equal((await me(admin.token)).status, 200);
      agent.stepClock(90 * day);
      refused = await me(admin.token);
    });

    it("answers one 401 invalid_token that names the clock, with its state", () => {
      assert.equal(refused.status, 401);
      assert.deepEqual([refused.json.code, refused.json.reason], ["invalid_token", "clock_epoch"]);
      assert.equal(refused.headers["www-authenticate"], 'Bearer error="invalid_token"');
      const { clock } = refused.json;
      const { server_time, ...known } = clock;
      assert.ok(Math.abs(Date.parse(server_time) / 1_000 - agent.nowSeconds()) < 5, server_time);
      assert.deepEqual(known, {
        synchronised: true,
        state: "synchronised",
        last_sync_at: null,
        last_step_seconds: null,
        last_step_at: null,
        skew_suspected: false,
      });
    });

    it("has the new time in the Date header, which Node writes once a second", async () => {
      await delay(1_100);
      const { headers } = await me(admin.token);
      const date = Date.parse(String(headers.date)) / 1_000;
      assert.ok(Math.abs(date - agent.nowSeconds()) < 5, String(headers.date));
    });

    it("is mended by a refresh: the same session, and its new access token works", async () => {
      const { json } = await renew(admin);
      assert.equal(json.user.id, admin.id);
      assert.equal((await me(admin.token)).status, 200);
    });

    it("signs no user out: other sessions go on in the same way", async () => {
      assert.equal((await me(other.token)).json.reason, "clock_epoch");
      await renew(other);
      assert.equal((await me(other.token)).status, 200);
      const { json } = await agent.call("GET", "/api/auth/sessions", { token: admin.token });
      assert.equal(json.items.length, 1);
    });

    it("is one event, with the step's size", async () => {
      const raised = await events("clock.epoch_raised");
      assert.equal(raised.length, 1, JSON.stringify(raised));
      assert.equal(raised[0].actor.kind, "agent");
      assert.ok(
        Math.abs(raised[0].details.step_seconds - 90 * day) <= 1,
        `${raised[0].details.step_seconds}`,
      );
    });
  });

  describe("by an hour back", () => {
    const wrong = { username: "olga", password: "not hers at all, no" };
    const tryWrong = () => agent.call("POST", "/api/auth/login", { body: wrong, from: "192.0.2.9" });

    it("lets no session last longer: its deadlines stay as far away", async () => {
      const remaining = ({ json }: Answer) =>
        Date.parse(json.session.expires_at) / 1_000 - agent.nowSeconds();
      const before = remaining(await renew(admin));
      agent.stepClock(-3_600);
      const after = remaining(await renew(admin));
      assert.ok(after <= before + 0.5 && after > before - 30, `${before} s became ${after} s`);
    });

    it("lets no access token be used, and gives it back when the hour has been put back", async () => {
      const { token } = await agent.login(adminName, adminPassword);
      assert.equal((await me(token)).status, 200);
      agent.stepClock(-3_600);
      assert.equal((await me(token)).json.reason, "clock_epoch");
      agent.stepClock(3_600);
      assert.equal((await me(token)).status, 200);
    });

    it("lets no delay last longer: Retry-After counts down in real time", async () => {
      let answer = await tryWrong();
      for (let tries = 0; tries < 8 && answer.status === 401; tries += 1) answer = await tryWrong();
      assert.deepEqual([answer.status, answer.json.code], [429, "too_many_attempts"]);
      const before = Number(answer.headers["retry-after"]);
      const begun = performance.now();
      agent.stepClock(-3_600);
      await delay(1_100);
      const later = Number((await tryWrong()).headers["retry-after"]);
      const passed = (performance.now() - begun) / 1_000;
      assert.ok(
        later < before && later >= before - passed - 2,
        `${before} s became ${later} s in ${passed.toFixed(1)} s`,
      );
    });

    it("lets no delay end sooner either: a day ahead changes nothing", async () => {
      const before = Number((await tryWrong()).headers["retry-after"]);
      agent.stepClock(day);
      const answer = await tryWrong();
      assert.equal(answer.status, 429);
      assert.ok(Number(answer.headers["retry-after"]) >= before - 10, `${before} s`);
    });

    it("lets no step-up last longer or end: five minutes of real time are five minutes", async () => {
      const user = await agent.signedIn("stepper", "operator");
      agent.stepClock(-3_600);
      await renew(user);
      const { status } = await agent.call("POST", `/api/users/${user.id}/2fa/setup`, { token: user.token });
      assert.equal(status, 200, "still stepped up");
    });
  });

  it("within 30 s has no effect", async () => {
    const { token } = await agent.login(adminName, adminPassword);
    agent.stepClock(-28);
    assert.equal((await me(token)).status, 200);
    agent.stepClock(28 + 28);
    assert.equal((await me(token)).status, 200);
  });
});
