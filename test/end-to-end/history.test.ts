import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { runSteward, startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { startCheckedAgent } from "../../lab/agents/checked-agent.ts";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { atEnd, ofSuite, temporaryDirectory } from "../../lab/basics/ending.ts";
import { until } from "../../lab/basics/until.ts";
import { standingTime } from "../../lab/simulated/test-time.ts";
import { comesToRest } from "../../lab/state/state-directory.ts";
import { historySeriesNames } from "../../src/contract/figures/history.ts";

/** In the middle of a step, so that no reading is on a border. */
const begin = Date.parse("2027-01-15T08:02:30.000Z");

/** Its part of the program is loaded when it is first needed, which may take longer than a minute of a test's time. */
const load = (agent: RunningAgent) => agent.call("GET", "/api/history", { local: true });

/** A time that passes by minutes, each when the agent waits for the next. */
function timeOfMinutes() {
  const time = standingTime(begin);
  let waits = 0;
  const after = (seconds: number, call: () => void) => {
    if (seconds === 60) waits += 1;
    return time.timers.after(seconds, call);
  };
  const passMinutes = async (minutes: number): Promise<void> => {
    for (let passed = 0; passed < minutes; passed += 1) {
      const before = waits;
      time.pass(60);
      await until("the agent waits for the next minute", () => waits > before);
      await comesToRest();
    }
  };
  return { time: { ...time, timers: { after } }, passMinutes };
}

describe("the history of a device, asked for", () => {
  const { time, passMinutes } = timeOfMinutes();
  const agent = ofSuite(() => startCheckedAgent({ time }));
  before(async () => {
    await agent.signedInAdmin();
    await load(agent);
    await passMinutes(21);
  });

  it("has the figures of the host in each five minutes that are over", async () => {
    const { status, json } = await agent.call("GET", "/api/history", { local: true });
    assert.deepEqual([status, json.start, json.step_seconds], [200, "2027-01-14T08:20:00.000Z", 300]);
    assert.deepEqual(Object.keys(json.series), [...historySeriesNames]);
    for (const name of historySeriesNames)
      for (const figures of Object.values<(number | null)[]>(json.series[name])) {
        assert.equal(figures.length, 288);
        assert.ok(figures.slice(0, -4).every((figure) => figure === null));
      }
    const { disk_used_ratio, memory_used_ratio, load } = json.series;
    for (const { mean, worst } of [disk_used_ratio, memory_used_ratio, load])
      for (let step = 284; step < 288; step += 1) assert.ok(mean[step] >= 0 && worst[step] >= mean[step]);
    const { host } = (await agent.call("GET", "/api/status", { local: true })).json;
    const used = 1 - host.disk.available_bytes / host.disk.size_bytes;
    assert.ok(Math.abs(disk_used_ratio.mean.at(-1) - used) < 0.05);
  });

  it("has seven days when they are asked for, and no other span", async () => {
    const week = await agent.call("GET", "/api/history?hours=168", { local: true });
    assert.deepEqual(
      [week.json.start, week.json.series.load.mean.length],
      ["2027-01-08T08:20:00.000Z", 2_016],
    );
    for (const hours of ["0", "25", "169", "x", ""]) {
      const refused = await agent.call("GET", `/api/history?hours=${hours}`, { local: true });
      assert.deepEqual([refused.status, refused.json.code], [400, "validation_failed"], hours);
    }
  });

  it("has an entity tag that stays until the next five minutes are over", async () => {
    const ask = async (tag = "") => {
      const headers = { "If-None-Match": tag };
      return agent.call("GET", "/api/history", { local: true, headers });
    };
    const tag = String((await ask()).headers.etag);
    assert.match(tag, /^"/);
    assert.equal((await ask(tag)).status, 304);
    await passMinutes(5);
    assert.equal((await ask(tag)).status, 200);
  });

  it("is shown by the command line", async () => {
    const { code, stdout, stderr } = await runSteward([
      "--socket",
      agent.socket,
      "history",
      "--hours",
      "168",
    ]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^2027-01-08T08:2[0-9]Z to 2027-01-15T08:2[0-9]Z, in UTC\n\n/);
    assert.match(
      stdout,
      /^disk used {10} +[▁▂▃▄▅▆▇█]+\n {2}last \d+\.\d %; least \d+\.\d % at 2027-01-15T08:/m,
    );
  });
});

describe("the history of a device over a restart", () => {
  it("is kept by a clean stop, is read by the command line meanwhile, and goes on", async (test) => {
    const stateDirectory = await temporaryDirectory(test);
    const { time, passMinutes } = timeOfMinutes();
    const start = async () => {
      const agent = await startAgentInProcess({ time, stateDirectory });
      atEnd(test, () => agent.dispose());
      await load(agent);
      return agent;
    };
    const known = ({ series }: { series: { load: { mean: (number | null)[] } } }) =>
      series.load.mean.filter((load) => load !== null).length;
    const first = await start();
    await first.signedInAdmin();
    await passMinutes(32);
    await assert.rejects(stat(join(stateDirectory, "history.bin")), "nothing is written within the hour");
    await first.stop();
    assert.ok((await stat(join(stateDirectory, "history.bin"))).isFile());
    const offline = await runSteward(["--state", stateDirectory, "-o", "json", "history"]);
    assert.equal(offline.code, 0, offline.stderr);
    const second = await start();
    await passMinutes(10);
    const { json } = await second.call("GET", "/api/history", { local: true });
    assert.equal(known(json), 8);
  });
});
