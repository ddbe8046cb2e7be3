import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { stopWithin } from "../../agent-in-process.ts";
import { type ServerView, startObservingAgent, startTimeServers } from "../../clock/time-servers.ts";
import type { CheckedAgent } from "../../http/checked-agent.ts";
import { adminName, adminPassword } from "../../running-agent.ts";
import { startTimedAgent, type TimedAgent } from "../../simulated/faked-time.ts";
import { until } from "../../until.ts";

const route = "/api/system/time-sync";

type Status = Awaited<ReturnType<CheckedAgent["call"]>>["json"];

/** Waits for a status that fits, and gives it. */
async function status(agent: CheckedAgent, what: string, fits: (json: Status) => boolean): Promise<Status> {
  let json: Status;
  await until(what, async () => {
    json = (await agent.call("GET", route, { local: true })).json;
    return fits(json);
  });
  return json;
}

const set = async (agent: CheckedAgent, time: object): Promise<void> => {
  const { status: code, text } = await agent.call("PUT", "/api/system", { local: true, body: { time } });
  assert.equal(code, 200, text);
};

const idsOf = ({ sources }: { sources: ServerView[] }) => sources.map(({ id }) => id).join();

describe("the settings of the clock, changed while the agent runs", () => {
  let servers: Awaited<ReturnType<typeof startTimeServers>>;
  let agent: CheckedAgent;
  let one = "";
  let two = "";
  let three = "";
  before(async () => {
    servers = await startTimeServers([{}, {}, {}]);
    [one = "", two = "", three = ""] = servers.names;
    agent = await startObservingAgent({});
  });
  after(async () => {
    await agent.dispose();
    await servers.stop();
  });

  it("servers: the first one is asked soon, and accepted", async () => {
    await set(agent, { servers: [one] });
    const json = await status(agent, "accepted", ({ trust }) => trust === "accepted");
    assert.equal(idsOf(json), one);
  });
  it("servers: another one is added, also while a round runs, and both are trusted", async () => {
    const asked = agent.call("POST", `${route}/reselect`, { local: true });
    await delay(500);
    await set(agent, { servers: [one, two] });
    await asked;
    const json = await status(agent, "trusted", ({ trust }) => trust === "trusted");
    assert.equal(idsOf(json), [one, two].join());
  });
  it("servers: one is replaced, and the one that stays keeps what it said", async () => {
    await set(agent, { servers: [two, three] });
    const json = await status(agent, "the third one heard", (found) =>
      found.sources.some(({ id, offset_seconds }: ServerView) => id === three && offset_seconds !== null),
    );
    assert.equal(idsOf(json), [two, three].join());
    assert.equal(json.trust, "trusted");
  });
  it("min_agreeing: more than there are, and the answer is no_majority", async () => {
    await set(agent, { min_agreeing: 3 });
    const json = await status(agent, "too few", ({ summary }) => summary.code === "too_few");
    assert.deepEqual(json.servers, { in_effect: true, configured: [two, three] });
    await set(agent, { min_agreeing: null });
    await status(
      agent,
      "synchronised again",
      ({ state, summary }) => state === "synchronised" && summary.code !== "too_few",
    );
  });
  it("mode manual: no server is asked any more, and the clock is not trusted", async () => {
    await set(agent, { mode: "manual" });
    const { counters, trust } = await status(agent, "manual", ({ mode }) => mode === "manual");
    assert.equal(trust, "none");
    await delay(3_000);
    const later = (await agent.call("GET", route, { local: true })).json;
    assert.equal(later.counters.exchanges, counters.exchanges);
  });
  it("mode observe again: it is", async () => {
    await set(agent, { mode: "observe" });
    const json = await status(
      agent,
      "trusted",
      ({ trust, mode }) => trust === "trusted" && mode === "observe",
    );
    assert.equal(idsOf(json), [two, three].join());
  });
  it("a stop in the middle of a burst waits for no answer, and all that happened is on the disk", async (test) => {
    const silent = await startObservingAgent({});
    try {
      await silent.signedInAdmin();
      await set(silent, { servers: ["127.0.0.1:9", "127.0.0.2:9"] });
      await status(silent, "the first exchange of a burst", ({ counters }) => counters.exchanges > 0);
      await silent.login(adminName, adminPassword);
      assert.equal(await stopWithin(test, silent, 1), 0);
      const { sessions } = JSON.parse(readFileSync(join(silent.stateDirectory, "sessions.json"), "utf8"));
      assert.equal(sessions.length, 2);
      assert.match(silent.log(), /event log head/);
    } finally {
      await silent.dispose();
    }
  });
});

describe("a clock that is hours off and only observed", () => {
  let servers: Awaited<ReturnType<typeof startTimeServers>>;
  let agent: TimedAgent;
  before(async () => {
    servers = await startTimeServers([{}, {}]);
    agent = await startTimedAgent({ offsetSeconds: 3 * 3_600, time: { servers: servers.names } });
    const { json } = await agent.call("POST", `${route}/sync`, { local: true });
    assert.equal(json.trust, "trusted", JSON.stringify(json));
  });
  after(async () => {
    await agent.dispose();
    await servers.stop();
  });

  it("keeps its measured offset through a change of mode without an effect", async () => {
    const { token } = await agent.signedInAdmin();
    await set(agent, { mode: "auto" });
    for (let looks = 0; looks < 20; looks += 1) {
      const { json } = await agent.call("GET", route, { local: true });
      assert.ok(
        Math.abs(Date.parse(json.server_time) - Date.now()) < 2_000,
        `${json.server_time}, ${json.state}`,
      );
      assert.equal((await agent.call("GET", "/api/auth/me", { token })).status, 200);
      await delay(100);
    }
  });
});
