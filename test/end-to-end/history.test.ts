import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { runSteward } from "../../lab/agents/agent-in-process.ts";
import { startCheckedAgent } from "../../lab/agents/checked-agent.ts";
import { outcome, type RunningAgent } from "../../lab/agents/running-agent.ts";
import { atEnd } from "../../lab/basics/ending.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { standingTime } from "../../lab/simulated/test-time.ts";
import { comesToRest } from "../../lab/state/state-directory.ts";
import { historySeriesNames } from "../../src/contract/figures/history.ts";
import type { History } from "../../src/contract/types.ts";

/** Within an hour, in which nothing is written. */
const mostMinutes = 50;

const known = ({ series }: History): number => series.load.mean.filter((load) => load !== null).length;

describe("the history of a device", () => {
  it("is asked for, kept by a clean stop, read by the command line meanwhile, and goes on", async (test) => {
    const stateDirectory = scratchDirectory();
    const time = standingTime(Date.parse("2027-01-15T08:02:30.000Z"));
    const start = async () => {
      const agent = await startCheckedAgent({ time, stateDirectory });
      atEnd(test, () => agent.dispose());
      return agent;
    };
    /** Some minutes bring no reading: the first look reads the record of events from the disk, and time does not wait for it. */
    const passUntilKnown = async (agent: RunningAgent, points: number): Promise<History> => {
      for (let minutes = 0; minutes < mostMinutes; minutes += 1) {
        const answer = await agent.read("/api/history");
        if (known(answer) >= points) return answer;
        time.pass(60);
        await comesToRest();
      }
      throw new Error(`no ${points} points after ${mostMinutes} minutes`);
    };
    const first = await start();
    await first.signedInAdmin();
    const before = await passUntilKnown(first, 6);
    assert.equal(before.step_seconds, 300);
    assert.match(before.start, /^2027-01-14T08:[2-5][05]:00\.000Z$/);
    assert.deepEqual(Object.keys(before.series), [...historySeriesNames]);
    const { mean } = before.series.disk_used_ratio;
    assert.ok(mean.length === 288 && mean.slice(0, -10).every((figure) => figure === null));
    const { available_bytes, size_bytes } = (await first.read("/api/status")).host.disk;
    assert.ok(Math.abs(Number(mean.at(-1)) - (1 - available_bytes / size_bytes)) < 0.05);
    const week = await first.read("/api/history?hours=168&step_seconds=1800");
    assert.deepEqual([week.series.load.mean.length, Date.parse(week.start) % 1_800_000], [336, 0]);
    const asked = first.call("GET", "/api/history?hours=25", { local: true });
    assert.equal(await outcome(asked), "400 validation_failed");
    const ask = (tag = "") =>
      first.call("GET", "/api/history", { local: true, headers: { "If-None-Match": tag } });
    const tag = String((await ask()).headers.etag);
    assert.equal((await ask(tag)).status, 304);
    for (let minutes = 0; minutes < 5; minutes += 1) time.pass(60);
    assert.equal((await ask(tag)).status, 200, "the next five minutes are over");

    const path = join(stateDirectory, "history.bin");
    assert.equal(existsSync(path), false, "nothing is written within the hour");
    await first.stop();
    const read = () => runSteward(["--state", stateDirectory, "-o", "json", "history"]);
    const kept = readFileSync(path);
    assert.equal((await read()).code, 0);
    writeFileSync(path, "torn");
    assert.match((await read()).stderr, /^The history of the device cannot be read .*form\.$/m);
    assert.equal(readFileSync(path, "utf8"), "torn", "a command changes nothing");
    writeFileSync(path, kept);
    const second = await start();
    const after = known(await second.read("/api/history"));
    assert.ok(after >= known(before));
    await passUntilKnown(second, after + 1);
  });
});
