/** Two hundred devices on one repository behind nginx: what they cost, when they update, and how a bad release stops. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { haltRollout } from "../../src/publishing/rollout/halt.ts";
import { judgeRollouts } from "../../src/publishing/rollout/halt-rule.ts";
import { LogFile } from "../../src/publishing/rollout/log-file.ts";
import { Tally, watchedReleases } from "../../src/publishing/rollout/tally.ts";
import { readState } from "../../src/publishing/state.ts";
import { temporaryDirectory } from "../basics/ending.ts";
import { startSeconds } from "../devices/checking-device.ts";
import { add, at, keysOf, makeSite, publishAll, type Site } from "../publisher/site.ts";
import { type FleetDevice, openFleetDevice } from "./fleet-device.ts";
import { requestsIn, startNginx } from "./nginx-server.ts";
import { rowsOf } from "./programs.ts";

const devices = 200;
const hour = 3_600;
const row = rowsOf("rollout");

/** The steps of the roll-out: the devices in all, and from when on. */
const steps = [
  { percent: 10, after_seconds: 4 * hour },
  { percent: 50, after_seconds: 24 * hour },
  { percent: 100, after_seconds: 48 * hour },
];

interface Fleet {
  readonly site: Site;
  readonly accessLog: string;
  readonly all: readonly FleetDevice[];
}

async function openFleet(test: TestContext): Promise<Fleet> {
  const site = await makeSite(test);
  await add(site, { version: "1.0.0" });
  await publishAll(site);
  const { url, accessLog } = await startNginx(test, site.workspace.public);
  const root = readFileSync(join(site.workspace.metadata, "1.root.json"));
  const all: FleetDevice[] = [];
  for (let count = 0; count < devices; count += 1) {
    const directory = await temporaryDirectory(test);
    const isHealthy = (version: string): boolean => version !== "1.2.0";
    all.push(await openFleetDevice({ url, root, directory, random: Math.random, isHealthy }));
  }
  return { site, accessLog, all };
}

/** All of them, a few at a time as a server has them. */
async function runUntil({ all }: Fleet, seconds: number): Promise<void> {
  for (let first = 0; first < all.length; first += 20)
    await Promise.all(all.slice(first, first + 20).map((device) => device.runUntil(seconds)));
}

/** The publisher's workspace at a moment of the fleet's time. */
function workspaceAt({ site }: Fleet, seconds: number) {
  return at(site.workspace, new Date((startSeconds + seconds) * 1_000).toISOString());
}

async function release(fleet: Fleet, version: string, seconds: number): Promise<number> {
  const workspace = workspaceAt(fleet, seconds);
  const start = `${new Date((startSeconds + seconds) * 1_000).toISOString().slice(0, 19)}Z`;
  await add({ ...fleet.site, workspace }, { version, waves: { start, steps } });
  await publishAll({ workspace });
  return seconds;
}

const having = ({ all }: Fleet, version: string, seconds = Number.POSITIVE_INFINITY): number =>
  all.filter(({ begun }) => (begun.get(version) ?? Number.NaN) <= seconds).length;

/** Four standard deviations of a binomial distribution: one test in some thousand is beyond it by chance. */
function spread(percent: number): { least: number; most: number } {
  const share = percent / 100;
  const width = 4 * Math.sqrt(devices * share * (1 - share));
  return { least: devices * share - width, most: devices * share + width };
}

/** Costs of the requests since `from`. */
function costs(fleet: Fleet, from: number) {
  const requests = requestsIn(fleet.accessLog).slice(from);
  const metadata = requests.filter(({ path }) => path.startsWith("/metadata/"));
  const checks = metadata.filter(({ path }) => path.endsWith("timestamp.json")).length;
  const bytes = metadata.reduce((sum, one) => sum + one.bytes, 0);
  return { checks, requests: metadata.length, bytes, payloads: requests.length - metadata.length };
}

describe("a roll-out to two hundred devices", { timeout: 900_000 }, () => {
  it("follows its signed waves, and a bad release is stopped in its first wave", async (test) => {
    const fleet = await openFleet(test);
    await runUntil(fleet, 7 * hour);
    assert.equal(having(fleet, "1.0.0"), devices, "a release without waves is everywhere after a check");
    const idleFrom = requestsIn(fleet.accessLog).length;
    await runUntil(fleet, 14 * hour);
    const idle = costs(fleet, idleFrom);
    assert.equal(idle.payloads, 0);
    row(
      "a check without news",
      `${(idle.requests / idle.checks).toFixed(2)} requests, ${Math.round(idle.bytes / idle.checks)} bytes of body`,
    );

    const start = await release(fleet, "1.1.0", 14 * hour);
    const newsFrom = requestsIn(fleet.accessLog).length;
    for (const { percent, after_seconds } of steps) {
      await runUntil(fleet, start + after_seconds);
      const before = steps[steps.findIndex((one) => one.percent === percent) - 1]?.percent ?? 0;
      const { least, most } = spread(before);
      const early = having(fleet, "1.1.0", start + after_seconds - 1);
      assert.ok(early >= least && early <= most, `${early} devices before the wave of ${percent} %`);
      row(`devices just before the wave of ${percent} %`, `${early} of ${devices}; signed: ${before} %`);
    }
    await runUntil(fleet, start + 56 * hour);
    assert.equal(having(fleet, "1.1.0"), devices);
    const news = costs(fleet, newsFrom);
    assert.equal(news.payloads, devices, "a payload is fetched once by each");
    row(
      "a roll-out",
      `${news.payloads} payloads; ${news.checks} checks, ${Math.round(news.bytes / devices)} bytes of metadata a device in 56 h`,
    );
    await stopsBadRelease(test, fleet, start + 56 * hour);
  });
});

/** As `steward-publisher watch` does it: reads the log, and pauses a release that fails. null: nothing is to be stopped. */
async function watchOnce(fleet: Fleet, log: LogFile, tally: Tally, seconds: number) {
  const workspace = workspaceAt(fleet, seconds);
  tally.watch(watchedReleases((await readState(workspace)).published));
  await log.read((line) => tally.addLine(line));
  const verdicts = judgeRollouts(tally.figures(), { percent: 2, least: null });
  const bad = verdicts.find(({ halts }) => halts)?.release;
  if (bad === undefined) return null;
  const keys = await keysOf(workspace);
  const done = await haltRollout(workspace, bad, { means: "pause", reason: "", keys });
  assert.ok(done.published);
  return bad;
}

async function stopsBadRelease(test: TestContext, fleet: Fleet, seconds: number): Promise<void> {
  const log = new LogFile(fleet.accessLog, { elapsedSeconds: () => performance.now() / 1_000 });
  test.after(() => log.close());
  const tally = new Tally({ countBy: "devices", silentAfterSeconds: 24 * hour, countsSilent: false });
  const start = await release(fleet, "1.2.0", seconds);
  let haltedAt: number | null = null;
  for (let now = start; haltedAt === null && now <= start + 24 * hour; now += hour / 6) {
    await runUntil(fleet, now);
    const bad = await watchOnce(fleet, log, tally, now);
    if (bad === null) continue;
    haltedAt = now;
    const after = `${((now - start) / hour).toFixed(1)} h after its start`;
    row("a bad release", `paused ${after}, at ${bad.undone} of ${bad.tried} undone`);
  }
  assert.ok(haltedAt !== null, "nothing was stopped");
  // Beyond the moments at which the other waves would have come.
  for (let now = haltedAt; now <= start + 60 * hour; now += 6 * hour) await runUntil(fleet, now);
  const touched = having(fleet, "1.2.0");
  const { most } = spread(steps[0]?.percent ?? 0);
  assert.ok(touched >= 5 && touched <= most, `${touched} devices had the bad release`);
  const after = having(fleet, "1.2.0") - having(fleet, "1.2.0", haltedAt);
  row(
    "devices that the bad release reached",
    `${touched} of ${devices}, ${after} of them after the pause; all went back`,
  );
  assert.equal(after, 0);
  for (const device of fleet.all) {
    assert.equal(device.room.status().installed.rules, "1.1.0");
    await device.room.stop();
  }
}
