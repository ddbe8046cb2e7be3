import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SignedIn } from "../../../lab/agents/checked-agent.ts";
import { startObservingAgent } from "../../../lab/agents/time-servers.ts";
import { atEnd } from "../../../lab/basics/ending.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";
import { ordinaryServer } from "../../../lab/simulated/time-network.ts";

const hour = 3_600;
const route = "/api/system/time-sync";

/** A host whose clock is moved, a measurement of it, and servers that answer from when the test says so. */
async function begin(offsetSeconds: number) {
  const time = standingTime();
  let aheadSeconds = 0;
  const stepClock = (seconds: number): void => {
    aheadSeconds += seconds;
    time.stepWall(seconds);
  };
  stepClock(offsetSeconds);
  const trueSeconds = () => time.nowSeconds() - aheadSeconds;
  let isUp = false;
  const servers = ["192.0.2.1", "192.0.2.2"].map((address) => ({ ...ordinaryServer, address }));
  const openClock = time.servedClock(servers, () => isUp);
  const settings = { servers: servers.map(({ address }) => address) };
  const agent = await startObservingAgent(settings, {}, { time, openClock });
  const admin = await agent.signedInAdmin();
  const operator = await agent.signedIn("olga", "operator");
  const reader = await agent.signedIn("rita", "readonly");
  const outcome = async (method: string, path: string, token: string, body?: object) => {
    const { status, json } = await time.passUntil(agent.call(method, path, { token, body }));
    return [status, json?.reason ?? json?.code ?? json?.trust ?? "ok"];
  };
  return {
    ...{ agent, stepClock, trueSeconds },
    ...{ admin, operator, reader },
    me: ({ token }: SignedIn) => outcome("GET", "/api/auth/me", token),
    see: ({ token }: SignedIn) => outcome("GET", route, token),
    reselect: ({ token }: SignedIn) => outcome("POST", `${route}/reselect`, token),
    sync: ({ token }: SignedIn, body?: object) => outcome("POST", `${route}/sync`, token, body),
    /** The agent's own idea of the time, in seconds from the true one. */
    aheadSeconds: async () => Date.parse((await agent.read(route)).server_time) / 1_000 - trueSeconds(),
    refresh: async (user: SignedIn) => {
      const body = { refresh_token: user.refreshToken };
      const { status, json, text } = await agent.call("POST", "/api/auth/refresh", { body });
      assert.equal(status, 200, text);
      Object.assign(user, { token: json.access_token, refreshToken: json.refresh_token });
    },
    connect: () => {
      isUp = true;
    },
    end: () => time.passUntil(agent.dispose()),
  };
}

function assertNear(seconds: number, expected: number): void {
  assert.ok(Math.abs(seconds - expected) < 2, `${seconds} s from the true time, not ${expected} s`);
}

describe("a token that is refused because of the clock", () => {
  it("that was right when the token was made, and was set three hours ahead, sees the status and mends the clock", async (test) => {
    const scene = await begin(0);
    atEnd(test, scene.end);
    const { agent, admin, operator, reader } = scene;
    assert.deepEqual(await scene.me(operator), [200, "ok"]);
    scene.stepClock(3 * hour);
    const { json } = await agent.call("GET", "/api/auth/me", { token: operator.token });
    assert.deepEqual([json.code, json.reason], ["invalid_token", "clock_epoch"]);
    assert.deepEqual([json.clock.synchronised, json.clock.last_sync_at], [false, null]);
    assert.match(json.clock.state, /^(acquiring|unsynchronised)$/);
    const [raised] = (await agent.read("/api/events?type=clock.epoch_raised")).items;
    assert.deepEqual([raised.actor.kind, raised.details], ["agent", { step_seconds: 3 * hour }]);
    // Each may look; to mend takes an operator, and no administrator sets or forces, though the password was given just now.
    for (const user of [operator, reader]) assert.deepEqual(await scene.see(user), [200, "none"]);
    for (const body of [{ force: true }, { time: new Date(scene.trueSeconds() * 1_000).toISOString() }])
      assert.deepEqual(await scene.sync(admin, body), [401, "step_up_required"]);
    assert.deepEqual(await scene.sync(operator, { force: true }), [403, "forbidden"]);
    for (const mend of [scene.sync, scene.reselect]) assert.deepEqual(await mend(reader), [403, "forbidden"]);
    assertNear(await scene.aheadSeconds(), 3 * hour);
    for (const path of ["/api/system", "/api/users", "/api/events", "/api/auth/sessions", "/api/tokens"])
      assert.equal((await agent.call("GET", path, admin)).json.reason, "clock_epoch", path);
    assert.equal((await agent.call("POST", `${route}/floor-reset`, admin)).json.reason, "clock_epoch");

    scene.connect();
    assert.deepEqual(await scene.me(operator), [401, "clock_epoch"]);
    assert.deepEqual(await scene.sync(operator), [200, "trusted"]);
    assertNear(await scene.aheadSeconds(), 0);
    for (const user of [operator, admin, reader]) assert.deepEqual(await scene.me(user), [200, "ok"]);
    const { offset_seconds, last_step } = await agent.read(route);
    // The host's own clock is as it was.
    assert.ok(Math.abs(offset_seconds + 3 * hour) < 2, String(offset_seconds));
    assert.equal(last_step, null);
    const { items } = await agent.read("/api/events?type=token.tolerated&limit=200");
    type Use = { actor: { name: string }; details: { operation: string } };
    const uses = items.map(({ actor, details }: Use) => `${actor.name} ${details.operation}`);
    for (const use of ["olga getTimeSync", "olga syncTime", "rita getTimeSync"])
      assert.ok(uses.includes(use), `${use} is not among ${uses.join(", ")}`);
    // The agent trusts another clock now than the host's.
    scene.stepClock(-5 * hour);
    assert.deepEqual(await scene.me(operator), [200, "ok"]);
    assertNear(await scene.aheadSeconds(), 0);
  });

  it("that was three hours behind, and is put right with that very token, is refused then once, and a refresh signs no user out", async (test) => {
    const scene = await begin(-3 * hour);
    atEnd(test, scene.end);
    const { operator } = scene;
    assertNear(await scene.aheadSeconds(), -3 * hour);
    scene.connect();
    assert.deepEqual(await scene.sync(operator), [200, "trusted"]);
    assertNear(await scene.aheadSeconds(), 0);
    assert.deepEqual(await scene.me(operator), [401, "clock_epoch"]);
    await scene.refresh(operator);
    assert.deepEqual(await scene.me(operator), [200, "ok"]);
    // For an hour from then on the status may be read with it, although the clock is trusted.
    assert.deepEqual(await scene.see(scene.reader), [200, "trusted"]);
  });
});
