import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { stopWithin } from "../../../lab/agents/agent-in-process.ts";
import type { CheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { adminName, adminPassword } from "../../../lab/agents/running-agent.ts";
import { type ServerView, startObservingAgent } from "../../../lab/agents/time-servers.ts";
import { until } from "../../../lab/basics/until.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";
import { ordinaryServer } from "../../../lab/simulated/time-network.ts";

const route = "/api/system/time-sync";

const plans = [1, 2].map((number) => ({ ...ordinaryServer, address: `192.0.2.${number}` }));
const [one = "", two = ""] = plans.map(({ address }) => address);

type Status = Awaited<ReturnType<CheckedAgent["call"]>>["json"];

/** Waits for a status that fits, and gives it; between two looks `pass` lets some of the agent's time pass. */
async function statusIn(
  agent: CheckedAgent,
  what: string,
  fits: (json: Status) => boolean,
  pass: () => void = () => undefined,
): Promise<Status> {
  let json: Status;
  await until(what, async () => {
    json = await agent.read(route);
    if (fits(json)) return true;
    pass();
    return false;
  });
  return json;
}

const set = async (agent: CheckedAgent, time: object): Promise<void> => {
  const { status, text } = await agent.call("PUT", "/api/system", { local: true, body: { time } });
  assert.equal(status, 200, text);
};

describe("the settings of the clock, changed while the agent runs", () => {
  it("have servers asked that are added, also while a round runs, and none any more by hand", async (test) => {
    const time = standingTime();
    const agent = await startObservingAgent({}, {}, { time, openClock: time.servedClock(plans) });
    test.after(() => time.passUntil(agent.dispose()));
    const idsOf = ({ sources }: { sources: ServerView[] }) => sources.map(({ id }) => id).join();
    const status = (what: string, fits: (json: Status) => boolean) =>
      statusIn(agent, what, fits, () => time.pass(1));

    await set(agent, { servers: [one] });
    assert.equal(idsOf(await status("accepted", ({ trust }) => trust === "accepted")), one);

    const { exchanges } = (await agent.read(route)).counters;
    const asked = agent.call("POST", `${route}/reselect`, { local: true });
    const runs = (json: Status) => json.counters.exchanges > exchanges;
    await statusIn(agent, "a round runs", runs, () => time.pass(0.1));
    await set(agent, { servers: [one, two] });
    assert.equal((await time.passUntil(asked)).status, 200);
    assert.equal(idsOf(await status("trusted", ({ trust }) => trust === "trusted")), [one, two].join());

    await set(agent, { mode: "manual" });
    const { counters, trust } = await status("manual", ({ mode }) => mode === "manual");
    assert.equal(trust, "none");
    for (let minutes = 0; minutes < 10; minutes += 1) {
      time.pass(60);
      assert.equal((await agent.read(route)).counters.exchanges, counters.exchanges);
    }
  });

  it("a stop in the middle of a burst waits for no answer, and all that happened is on the disk", async (test) => {
    const silent = await startObservingAgent({});
    test.after(() => silent.dispose());
    await silent.signedInAdmin();
    await set(silent, { servers: ["127.0.0.1:9", "127.0.0.2:9"] });
    await statusIn(silent, "the first exchange of a burst", ({ counters }) => counters.exchanges > 0);
    await silent.login(adminName, adminPassword);
    assert.equal(await stopWithin(test, silent, 1), 0);
    const { sessions } = JSON.parse(readFileSync(join(silent.stateDirectory, "sessions.json"), "utf8"));
    assert.equal(sessions.length, 2);
    assert.match(silent.log(), /event log head/);
  });
});
