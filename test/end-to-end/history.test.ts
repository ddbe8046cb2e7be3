import assert from "node:assert/strict";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { runSteward, startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { startCheckedAgent } from "../../lab/agents/checked-agent.ts";
import { outcome, type RunningAgent } from "../../lab/agents/running-agent.ts";
import { atEnd, ofSuite, temporaryDirectory } from "../../lab/basics/ending.ts";
import { type StandingTime, standingTime } from "../../lab/simulated/test-time.ts";
import { comesToRest } from "../../lab/state/state-directory.ts";
import { historySeriesNames } from "../../src/contract/figures/history.ts";
import type { History } from "../../src/contract/types.ts";

const begin = Date.parse("2027-01-15T08:02:30.000Z");

const read = async (agent: RunningAgent): Promise<History> => await agent.read("/api/history");

const known = ({ series }: History): number => series.load.mean.filter((load) => load !== null).length;

/**
 * Lets minutes pass until so many points are known. Some bring no reading: the first look reads the record of events from
 * the disk, and time does not wait for it.
 */
async function passUntilKnown(agent: RunningAgent, time: StandingTime, points: number): Promise<History> {
  for (let minutes = 0; minutes < mostMinutes; minutes += 1) {
    const answer = await read(agent);
    if (known(answer) >= points) return answer;
    time.pass(60);
    await comesToRest();
  }
  throw new Error(`no ${points} points after ${mostMinutes} minutes`);
}

/** Within an hour, in which nothing is written. */
const mostMinutes = 50;

describe("the history of a device, asked for", () => {
  const time = standingTime(begin);
  const agent = ofSuite(() => startCheckedAgent({ time }));
  before(async () => {
    await agent.signedInAdmin();
    await passUntilKnown(agent, time, 4);
  });

  it("has the figures of the host in each five minutes that are over", async () => {
    const { status, json } = await agent.call("GET", "/api/history", { local: true });
    assert.deepEqual([status, json.step_seconds], [200, 300]);
    assert.match(json.start, /^2027-01-14T08:[2345][05]:00\.000Z$/);
    assert.deepEqual(Object.keys(json.series), [...historySeriesNames]);
    for (const name of historySeriesNames)
      for (const figures of Object.values<(number | null)[]>(json.series[name])) {
        assert.equal(figures.length, 288);
        assert.ok(figures.slice(0, -10).every((figure) => figure === null));
      }
    const { disk_used_ratio, memory_used_ratio, load } = json.series;
    for (const { mean, worst } of [disk_used_ratio, memory_used_ratio, load])
      assert.ok(mean.at(-1) >= 0 && worst.at(-1) >= mean.at(-1));
    const { host } = await agent.read("/api/status");
    const used = 1 - host.disk.available_bytes / host.disk.size_bytes;
    assert.ok(Math.abs(disk_used_ratio.mean.at(-1) - used) < 0.05);
  });

  it("has seven days and half hours when they are asked for, and no other spans and steps", async () => {
    const { start, step_seconds, series } = await agent.read("/api/history?hours=168&step_seconds=1800");
    assert.deepEqual([step_seconds, series.load.mean.length], [1_800, 336]);
    assert.equal(Date.parse(start) % 1_800_000, 0);
    assert.equal((await agent.read("/api/history?hours=168")).series.load.mean.length, 2_016);
    for (const query of [
      "hours=0",
      "hours=25",
      "hours=169",
      "hours=",
      "step_seconds=600",
      "step_seconds=x",
    ]) {
      const answer = agent.call("GET", `/api/history?${query}`, { local: true });
      assert.equal(await outcome(answer), "400 validation_failed", query);
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
    for (let minutes = 0; minutes < 5; minutes += 1) time.pass(60);
    assert.equal((await ask(tag)).status, 200);
  });
});

describe("the history of a device over a restart", () => {
  it("is kept by a clean stop, is read by the command line meanwhile, and goes on", async (test) => {
    const stateDirectory = await temporaryDirectory(test);
    const time = standingTime(begin);
    const start = async () => {
      const agent = await startAgentInProcess({ time, stateDirectory });
      atEnd(test, () => agent.dispose());
      return agent;
    };
    const first = await start();
    await first.signedInAdmin();
    const before = await passUntilKnown(first, time, 6);
    await assert.rejects(stat(join(stateDirectory, "history.bin")), "nothing is written within the hour");
    await first.stop();
    assert.ok((await stat(join(stateDirectory, "history.bin"))).isFile());
    const offline = await runSteward(["--state", stateDirectory, "-o", "json", "history"]);
    assert.equal(offline.code, 0, offline.stderr);
    const path = join(stateDirectory, "history.bin");
    const kept = await readFile(path);
    await writeFile(path, "torn");
    const damaged = await runSteward(["--state", stateDirectory, "history"]);
    assert.match(damaged.stderr, /^The history of the device cannot be read .*form\.$/m);
    assert.equal(await readFile(path, "utf8"), "torn", "a command changes nothing");
    await writeFile(path, kept);
    const second = await start();
    const after = await read(second);
    assert.ok(known(after) >= known(before));
    await passUntilKnown(second, time, known(after) + 1);
  });
});
