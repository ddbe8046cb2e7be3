import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { CheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { type Answer, outcome } from "../../../lab/agents/running-agent.ts";
import { type ServerView, startObservingAgent, startTimeServers } from "../../../lab/agents/time-servers.ts";
import { until } from "../../../lab/basics/until.ts";
import { ntpTimestamp, startHostileServer } from "../../../lab/host/hostile-time-server.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";
import { ordinaryServer } from "../../../lab/simulated/time-network.ts";

const route = "/api/system/time-sync";

/** All of them at once: a burst takes six seconds of waiting. */
describe("a measurement over the API", () => {
  let servers: Awaited<ReturnType<typeof startTimeServers>>;
  const agents: CheckedAgent[] = [];
  const start = async (time: object): Promise<CheckedAgent> => {
    const agent = await startObservingAgent(time);
    agents.push(agent);
    return agent;
  };
  const post = (agent: CheckedAgent, verb: "sync" | "reselect", body?: object) =>
    agent.call("POST", `${route}/${verb}`, { local: true, body });
  const read = async (agent: CheckedAgent) => await agent.read(route);
  const stateOf = (json: { sources: ServerView[] }, id = "") =>
    json.sources.find((source) => source.id === id)?.state;

  before(async () => {
    servers = await startTimeServers([{}, {}, {}, { fakeTime: "+3s" }]);
  });
  after(async () => {
    for (const agent of agents) await agent.dispose();
    await servers.stop();
  });

  describe("by a lone server that tells this agent another time than a second client", () => {
    it("is suspect at the first round of the boot, though its time agrees with the clock", async () => {
      const server = await startHostileServer(({ request, reply, send }) => {
        // The second client asks with an empty transmit time.
        const isSecond = request.subarray(40, 48).every((byte) => byte === 0);
        const later = ntpTimestamp(Date.now() / 1_000 + 3_600);
        return send(reply(isSecond ? { receive: later, transmit: later } : {}));
      });
      try {
        const id = `127.0.0.1:${server.port}`;
        const agent = await start({ servers: [id] });
        assert.equal(await outcome(post(agent, "sync")), "503 no_majority");
        const { summary, trust, counters, sources } = await read(agent);
        assert.deepEqual([summary.code, summary.server, trust], ["suspect", id, "none"]);
        assert.deepEqual([sources[0].state, sources[0].reason.code], ["suspect", "second_opinion_differs"]);
        assert.ok(Math.abs(summary.offset_seconds - 3_600) < 2, JSON.stringify(summary));
        assert.ok(counters.suspects > 0);
      } finally {
        await server.close();
      }
    });
  });

  describe("by three good servers and one that is three seconds ahead", { concurrency: false }, () => {
    let agent: CheckedAgent;
    let answers: Answer[];
    let formerRounds = 0;
    before(async () => {
      agent = await start({ servers: servers.names });
      // Four rounds of the start's own: who joins one of these is answered before the next request is there.
      await until("the start's burst is over", async () => {
        const { exchanges, rounds } = (await read(agent)).counters;
        formerRounds = rounds;
        return exchanges >= 4 * servers.names.length;
      });
      answers = await Promise.all([post(agent, "sync"), post(agent, "reselect"), post(agent, "sync")]);
    });

    it("answers 200 with the status: synchronised, and trusted", () => {
      for (const { status, json, text } of answers) {
        assert.deepEqual(
          [status, json.state, json.trust, json.mode],
          [200, "synchronised", "trusted", "observe"],
          text,
        );
      }
    });
    it("names the false one, and none of the others", () => {
      const [{ json } = assert.fail("no answer")] = answers;
      const states = servers.names.map((name) => stateOf(json, name));
      assert.equal(states[3], "falseticker");
      assert.equal(states.filter((state) => state === "selected").length, 1, states.join());
      assert.ok(
        states.slice(0, 3).every((state) => state !== "falseticker"),
        states.join(),
      );
      assert.equal(json.source.id, servers.names[states.indexOf("selected")]);
      assert.equal(json.source.type, "ntp");
    });
    it("was one round for all who asked meanwhile", () => {
      const rounds = answers.map(({ json }) => json.counters.rounds);
      assert.deepEqual(rounds, Array(3).fill(formerRounds + 1));
    });
    it("is in the status from then on, which changes at each look and has no ETag", async () => {
      const { status, json, headers } = await agent.call("GET", route, { local: true });
      assert.deepEqual([status, json.trust, headers.etag], [200, "trusted", undefined]);
      assert.ok(Math.abs(Date.parse(json.last_sync_at) - Date.now()) < 60_000, json.last_sync_at);
      assert.ok(json.history.length >= 1, "a point of the history");
      assert.deepEqual(json.servers, {
        in_effect: true,
        configured: servers.names,
        offered: json.servers.offered,
      });
    });
    it("refuses a time set by hand: a trusted source sets the clock", async () => {
      assert.equal(
        await outcome(post(agent, "sync", { time: new Date().toISOString() })),
        "409 conflict_discipliner",
      );
    });
  });

  describe("in time that stands", () => {
    it("is refused to a client that asks again within ten seconds, with the seconds to wait", async () => {
      const time = standingTime();
      const settings = { servers: [ordinaryServer.address] };
      const agent = await startObservingAgent(settings, {}, { time, openClock: time.servedClock() });
      agents.push(agent);
      // The whole of the start's burst: a request meanwhile would join one of its rounds, however soon after another.
      const isMeasured = async () => (await read(agent)).counters.exchanges >= 4;
      await time.passUntil(until("the start's burst is over", isMeasured));
      assert.equal((await time.passUntil(post(agent, "sync"))).status, 200);
      const { rounds } = (await read(agent)).counters;
      const secondsToWait = async (verb: "sync" | "reselect") => {
        const { status, json, headers } = await post(agent, verb);
        assert.deepEqual([status, json.code], [429, "rate_limited"]);
        return Number(headers["retry-after"]);
      };
      const seconds = await secondsToWait("sync");
      // Some of it passed while the first answer was under way.
      assert.ok(seconds >= 1 && seconds <= 10, `Retry-After ${seconds}`);
      assert.equal(await secondsToWait("reselect"), seconds);
      assert.equal((await read(agent)).counters.rounds, rounds);
      time.pass(seconds);
      assert.equal((await time.passUntil(post(agent, "sync"))).status, 200, "after that wait");
    });
  });

  describe("by others", { concurrency: true }, () => {
    it("one good and one false: no_majority, and the status says so", async () => {
      const agent = await start({ servers: [servers.names[0], servers.names[3]] });
      const { status, json, headers } = await post(agent, "sync");
      assert.deepEqual([status, json.code], [503, "no_majority"]);
      assert.ok(Number(headers["retry-after"]) > 0, "Retry-After");
      const { trust, summary, source } = await read(agent);
      assert.deepEqual([trust, source], ["none", null]);
      assert.equal(summary.code, "no_majority");
    });
  });
});
