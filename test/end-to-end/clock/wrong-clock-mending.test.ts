import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { SignedIn } from "../../../lab/agents/checked-agent.ts";
import { startObservingAgent } from "../../../lab/agents/time-servers.ts";
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
  const agent = await startObservingAgent(
    { servers: servers.map(({ address }) => address) },
    {},
    { time, openClock },
  );
  const admin = await agent.signedInAdmin();
  const operator = await agent.signedIn("olga", "operator");
  const reader = await agent.signedIn("rita", "readonly");
  const outcome = async (method: string, path: string, token: string, body?: object) => {
    const { status, json } = await time.passUntil(agent.call(method, path, { token, body }));
    return [status, json?.reason ?? json?.code ?? json?.trust ?? "ok"];
  };
  return {
    ...{ agent, stepClock, trueSeconds, nowSeconds: time.nowSeconds },
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
    events: async (type: string) => (await agent.read(`/api/events?after=0&type=${type}&limit=200`)).items,
    end: () => time.passUntil(agent.dispose()),
  };
}

type Scene = Awaited<ReturnType<typeof begin>>;

function assertNear(seconds: number, expected: number): void {
  assert.ok(Math.abs(seconds - expected) < 2, `${seconds} s from the true time, not ${expected} s`);
}

describe("a token that is refused because of the clock", () => {
  describe("that was right when the token was made, and was set three hours ahead", () => {
    let scene: Scene;
    before(async () => {
      scene = await begin(0);
      assert.deepEqual(await scene.me(scene.operator), [200, "ok"]);
      scene.stepClock(3 * hour);
    });
    after(() => scene.end());

    it("is told so, with the state of the clock", async () => {
      const { token } = scene.operator;
      const { status, json } = await scene.agent.call("GET", "/api/auth/me", { token });
      assert.deepEqual([status, json.code, json.reason], [401, "invalid_token", "clock_epoch"]);
      const { synchronised, last_sync_at, state } = json.clock;
      assert.deepEqual([synchronised, last_sync_at], [false, null]);
      assert.match(state, /^(acquiring|unsynchronised)$/);
    });
    it("sees the status with that very token", async () => {
      assert.deepEqual(await scene.see(scene.operator), [200, "none"]);
    });
    it("of an administrator neither forces nor sets anything, though the password was given a moment ago", async () => {
      for (const body of [{ force: true }, { time: new Date(scene.trueSeconds() * 1_000).toISOString() }]) {
        assert.deepEqual(await scene.sync(scene.admin, body), [401, "step_up_required"]);
      }
      assertNear(await scene.aheadSeconds(), 3 * hour);
    });
    it("of an operator does so no more than ever", async () => {
      assert.deepEqual(await scene.sync(scene.operator, { force: true }), [403, "forbidden"]);
    });
    it("of a reader may look and not mend", async () => {
      assert.deepEqual(await scene.see(scene.reader), [200, "none"]);
      assert.deepEqual(await scene.sync(scene.reader), [403, "forbidden"]);
      assert.deepEqual(await scene.reselect(scene.reader), [403, "forbidden"]);
    });
    it("opens nothing else", async () => {
      for (const path of ["/api/system", "/api/users", "/api/events", "/api/auth/sessions", "/api/tokens"]) {
        const { status, json } = await scene.agent.call("GET", path, { token: scene.admin.token });
        assert.deepEqual([path, status, json.reason], [path, 401, "clock_epoch"]);
      }
      const floor = await scene.agent.call("POST", `${route}/floor-reset`, { token: scene.admin.token });
      assert.deepEqual([floor.status, floor.json.reason], [401, "clock_epoch"]);
    });
    it("mends the clock with that very token, and then the token works", async () => {
      scene.connect();
      assert.deepEqual(await scene.me(scene.operator), [401, "clock_epoch"]);
      assert.deepEqual(await scene.sync(scene.operator), [200, "trusted"]);
      assertNear(await scene.aheadSeconds(), 0);
      assert.deepEqual(await scene.me(scene.operator), [200, "ok"]);
    });
    it("does so for everybody's, and left the host's own clock alone", async () => {
      assert.deepEqual(await scene.me(scene.admin), [200, "ok"]);
      assert.deepEqual(await scene.me(scene.reader), [200, "ok"]);
      const json = await scene.agent.read(route);
      assert.ok(Math.abs(json.offset_seconds + 3 * hour) < 2, `${json.offset_seconds}`);
      assert.equal(json.last_step, null);
    });
    it("each use of it was written down with who and what", async () => {
      const uses = (await scene.events("token.tolerated")).map(
        ({ actor, details }: { actor: { name: string }; details: { operation: string } }) =>
          `${actor.name} ${details.operation}`,
      );
      for (const use of ["olga getTimeSync", "olga syncTime", "rita getTimeSync"]) {
        assert.ok(uses.includes(use), `${use} is not among ${uses.join(", ")}`);
      }
    });
    it("is not refused when the host's clock is set again: the agent trusts another one now", async () => {
      scene.stepClock(-5 * hour);
      assert.deepEqual(await scene.me(scene.operator), [200, "ok"]);
      assertNear(await scene.aheadSeconds(), 0);
    });
  });

  describe("that was three hours behind when the token was made, and is put right", () => {
    let scene: Scene;
    before(async () => {
      scene = await begin(-3 * hour);
    });
    after(() => scene.end());

    it("mends it with that very token, is refused then once, and a refresh signs no user out", async () => {
      assertNear(await scene.aheadSeconds(), -3 * hour);
      scene.connect();
      assert.deepEqual(await scene.sync(scene.operator), [200, "trusted"]);
      assertNear(await scene.aheadSeconds(), 0);
      assert.deepEqual(await scene.me(scene.operator), [401, "clock_epoch"]);
      await scene.refresh(scene.operator);
      assert.deepEqual(await scene.me(scene.operator), [200, "ok"]);
    });
    it("may be read with it for an hour from then on, although the clock is trusted", async () => {
      assert.deepEqual(await scene.see(scene.reader), [200, "trusted"]);
    });
  });
});
