import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { startObservingAgent } from "../../../lab/agents/time-servers.ts";
import { atEnd, endOfSuite } from "../../../lab/basics/ending.ts";
import { until } from "../../../lab/basics/until.ts";
import { ntpTimestamp, startHostileServer } from "../../../lab/host/hostile-time-server.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";
import { ordinaryServer } from "../../../lab/simulated/time-network.ts";

const route = "/api/system/time-sync";

describe("a measurement over the API", () => {
  const ending = endOfSuite();
  const start = async (...options: Parameters<typeof startObservingAgent>) => {
    const agent = await startObservingAgent(...options);
    atEnd(ending, () => agent.dispose());
    return agent;
  };
  const post = (agent: CheckedAgent, verb: "sync" | "reselect") =>
    agent.call("POST", `${route}/${verb}`, { local: true });

  it("by a lone server that tells this agent another time than a second client is suspect at the first round", async () => {
    const server = await startHostileServer(({ request, reply, send }) => {
      // The second client asks with an empty transmit time.
      const isSecond = request.subarray(40, 48).every((byte) => byte === 0);
      const later = ntpTimestamp(Date.now() / 1_000 + 3_600);
      return send(reply(isSecond ? { receive: later, transmit: later } : {}));
    });
    atEnd(ending, () => server.close());
    const id = `127.0.0.1:${server.port}`;
    const agent = await start({ servers: [id] });
    const { status, json, headers } = await post(agent, "sync");
    assert.deepEqual([status, json.code, Number(headers["retry-after"]) > 0], [503, "no_majority", true]);
    const { summary, trust, source, counters, sources } = await agent.read(route);
    assert.deepEqual([summary.code, summary.server, trust, source], ["suspect", id, "none", null]);
    assert.deepEqual([sources[0].state, sources[0].reason.code], ["suspect", "second_opinion_differs"]);
    assert.ok(Math.abs(summary.offset_seconds - 3_600) < 2, JSON.stringify(summary));
    assert.ok(counters.suspects > 0);
  });

  it("is one round for all who ask at once, and refused to a client that asks again within ten seconds", async () => {
    const time = standingTime();
    const settings = { servers: [ordinaryServer.address] };
    const agent = await start(settings, {}, { time, openClock: time.servedClock() });
    const counters = async () => (await agent.read(route)).counters;
    // The whole of the start's burst: a request meanwhile would join one of its rounds, however soon after another.
    await time.passUntil(until("the start's burst is over", async () => (await counters()).exchanges >= 4));
    const { rounds } = await counters();
    const asked = (["sync", "reselect", "sync"] as const).map((verb) => post(agent, verb));
    for (const { status, json, text } of await time.passUntil(Promise.all(asked)))
      assert.deepEqual([status, json.state, json.counters.rounds], [200, "synchronised", rounds + 1], text);
    const secondsToWait = async (verb: "sync" | "reselect") => {
      const { status, json, headers } = await post(agent, verb);
      assert.deepEqual([status, json.code], [429, "rate_limited"]);
      return Number(headers["retry-after"]);
    };
    const seconds = await secondsToWait("sync");
    // Some of it passed while the first answer was under way.
    assert.ok(seconds >= 1 && seconds <= 10, `Retry-After ${seconds}`);
    assert.deepEqual([await secondsToWait("reselect"), (await counters()).rounds], [seconds, rounds + 1]);
    time.pass(seconds);
    assert.equal((await time.passUntil(post(agent, "sync"))).status, 200, "after that wait");
  });
});
