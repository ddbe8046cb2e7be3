import assert from "node:assert/strict";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { runSteward, startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { startCheckedAgent } from "../../lab/agents/checked-agent.ts";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { startObservingAgent } from "../../lab/agents/time-servers.ts";
import { atEnd, ofSuite, temporaryDirectory } from "../../lab/basics/ending.ts";
import { until } from "../../lab/basics/until.ts";
import { type StandingTime, standingTime } from "../../lab/simulated/test-time.ts";
import { ordinaryServer } from "../../lab/simulated/time-network.ts";
import { comesToRest } from "../../lab/state/state-directory.ts";
import { historySeriesNames } from "../../src/contract/figures/history.ts";
import type { History } from "../../src/contract/types.ts";

const begin = Date.parse("2027-01-15T08:02:30.000Z");

const read = async (agent: RunningAgent): Promise<History> =>
  (await agent.call("GET", "/api/history", { local: true })).json;

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
    const { host } = (await agent.call("GET", "/api/status", { local: true })).json;
    const used = 1 - host.disk.available_bytes / host.disk.size_bytes;
    assert.ok(Math.abs(disk_used_ratio.mean.at(-1) - used) < 0.05);
  });

  it("has the clock's offset and uncertainty, as the status has them", async (test) => {
    const time = standingTime(begin);
    const options = { time, openClock: time.servedClock() };
    const measuring = await startObservingAgent({ servers: [ordinaryServer.address] }, {}, options);
    test.after(() => measuring.dispose());
    await until("the clock is measured", async () => {
      time.pass(1);
      return (await measuring.call("GET", "/api/system/time-sync", { local: true })).json.trust !== "none";
    });
    const { series } = await passUntilKnown(measuring, time, 2);
    const { clock } = (await measuring.call("GET", "/api/status", { local: true })).json;
    const last = (name: "clock_offset_seconds" | "clock_uncertainty_seconds") => series[name].mean.at(-1);
    assert.ok(Math.abs((last("clock_offset_seconds") ?? 1) - clock.offset_seconds) < 1e-3);
    assert.ok(Math.abs((last("clock_uncertainty_seconds") ?? 1) - clock.uncertainty_seconds) < 0.05);
    assert.ok((last("clock_uncertainty_seconds") ?? 0) > Math.abs(last("clock_offset_seconds") ?? 1));
  });

  it("has seven days when they are asked for, and no other span", async () => {
    const week = await agent.call("GET", "/api/history?hours=168", { local: true });
    const sixDays = Date.parse((await read(agent)).start) - Date.parse(week.json.start);
    assert.deepEqual([sixDays, week.json.series.load.mean.length], [6 * 86_400_000, 2_016]);
    for (const hours of ["0", "25", "169", "x", ""]) {
      const refused = await agent.call("GET", `/api/history?hours=${hours}`, { local: true });
      assert.deepEqual([refused.status, refused.json.code], [400, "validation_failed"], hours);
    }
  });

  it("has half hours when they are asked for, and steps of no other length", async () => {
    const week = await agent.call("GET", "/api/history?hours=168&step_seconds=1800", { local: true });
    const { start, step_seconds, series } = week.json as History;
    assert.deepEqual([step_seconds, series.load.mean.length], [1_800, 336]);
    assert.equal(Date.parse(start) % 1_800_000, 0);
    for (const step of ["0", "600", "3600", "x", ""]) {
      const refused = await agent.call("GET", `/api/history?step_seconds=${step}`, { local: true });
      assert.deepEqual([refused.status, refused.json.code], [400, "validation_failed"], step);
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

  it("is shown by the command line", async () => {
    const { code, stdout, stderr } = await runSteward([
      "--socket",
      agent.socket,
      "history",
      "--hours",
      "168",
    ]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^2027-01-08T08:[2-5][05]Z to 2027-01-15T08:[2-5][05]Z, in UTC\n\n/);
    assert.match(
      stdout,
      /^disk used {10}\d+\.\d % +\d+\.\d % +2027-01-15T08:\d\dZ +\d+\.\d % +2027-01-15T08:\d\dZ$/m,
    );
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

describe("the history of a device at a start", () => {
  it("is not read before the first request for it", async (test) => {
    const stateDirectory = await temporaryDirectory(test);
    await writeFile(join(stateDirectory, "history.bin"), "torn");
    const agent = await startAgentInProcess({ time: standingTime(begin), stateDirectory });
    atEnd(test, () => agent.dispose());
    const isRead = () => agent.log().includes("the history of the device cannot be read and begins again");
    assert.equal((await agent.call("GET", "/api/status", { local: true })).status, 200);
    await comesToRest();
    assert.equal(isRead(), false, agent.log());
    assert.equal(known(await read(agent)), 0);
    assert.equal(isRead(), true, agent.log());
    assert.equal(await readFile(join(stateDirectory, "history.bin.bad"), "utf8"), "torn");
  });
});
