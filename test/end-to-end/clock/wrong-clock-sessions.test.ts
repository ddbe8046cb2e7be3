import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SignedIn } from "../../../lab/agents/checked-agent.ts";
import { startTimedAgent } from "../../../lab/agents/faked-time.ts";
import { adminName, adminPassword } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";

const [hour, day] = [3_600, 86_400];
const clock = { trust: "trusted", state: "synchronised", synchronised: true };

/** Monotonic time decides here, so it must not matter where the wall clock goes. */
describe("a session under a clock that is stepped", () => {
  const agent = ofSuite(() => startTimedAgent({ clock }));
  const admin = ofSuite(() => agent.signedInAdmin());
  const other = ofSuite(() => agent.signedIn("olga", "operator"));

  const me = async ({ token }: { token: string }) => {
    const { status, json } = await agent.call("GET", "/api/auth/me", { token });
    return json.reason ?? status;
  };
  /** Exchanges, keeps the new pair, and gives the seconds that the session has left. */
  const renew = async (user: SignedIn): Promise<number> => {
    const body = { refresh_token: user.refreshToken };
    const { status, json, text } = await agent.call("POST", "/api/auth/refresh", { body });
    assert.deepEqual([status, json.user?.id], [200, user.id], text);
    Object.assign(user, { token: json.access_token, refreshToken: json.refresh_token });
    return Date.parse(json.session.expires_at) / 1_000 - agent.nowSeconds();
  };

  it("by 90 days ahead gets one 401 that tells of the clock, and a refresh mends it for each", async () => {
    assert.equal(await me(admin), 200);
    agent.stepClock(90 * day);
    const { json, headers } = await agent.call("GET", "/api/auth/me", { token: admin.token });
    assert.deepEqual([json.code, json.reason], ["invalid_token", "clock_epoch"]);
    assert.equal(headers["www-authenticate"], 'Bearer error="invalid_token"');
    const { server_time, ...known } = json.clock;
    assert.ok(Math.abs(Date.parse(server_time) / 1_000 - agent.nowSeconds()) < 5, server_time);
    assert.deepEqual(known, {
      ...{ synchronised: true, state: "synchronised", last_sync_at: null, skew_suspected: false },
      ...{ last_step_seconds: null, last_step_at: null },
    });
    assert.equal(await me(other), "clock_epoch");
    for (const user of [admin, other]) {
      await renew(user);
      assert.equal(await me(user), 200);
    }
    const { items } = await agent.read("/api/events?after=0&type=clock.epoch_raised");
    assert.deepEqual([items.length, items[0].actor.kind], [1, "agent"]);
    assert.ok(Math.abs(items[0].details.step_seconds - 90 * day) <= 1, JSON.stringify(items));
  });

  it("by an hour back lasts no longer, and its access token is good again once that is put back", async () => {
    const before = await renew(admin);
    agent.stepClock(-hour);
    const after = await renew(admin);
    assert.ok(after <= before + 0.5 && after > before - 30, `${before} s became ${after} s`);
    const user = await agent.login(adminName, adminPassword);
    agent.stepClock(-hour);
    assert.equal(await me(user), "clock_epoch");
    agent.stepClock(hour);
    assert.equal(await me(user), 200);
  });

  it("by less than 30 s goes on", async () => {
    const user = await agent.login(adminName, adminPassword);
    for (const seconds of [-28, 28 + 28]) {
      agent.stepClock(seconds);
      assert.equal(await me(user), 200);
    }
  });
});
