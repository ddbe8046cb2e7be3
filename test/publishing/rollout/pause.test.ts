import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { add, at, keysOf, publishAll, type Site } from "../../../lab/publisher/site.ts";
import { haltRollout } from "../../../src/publishing/rollout/halt.ts";
import { pauseRelease, resumeRelease } from "../../../src/publishing/rollout/pause.ts";
import { Tally, watchedReleases } from "../../../src/publishing/rollout/tally.ts";
import { readState } from "../../../src/publishing/state.ts";
import { readRelease } from "../../../src/releases/release.ts";
import { waveDueSeconds } from "../../../src/releases/waves.ts";
import { deviceOf } from "../clients.ts";
import { publishedSite } from "../fixture.ts";

const selection = { kind: "rules", name: "demo-rules", version: "1.0.0", channel: "stable" } as const;
const waves = {
  start: "2026-11-20T12:00:00Z",
  steps: [
    { percent: 10, after_seconds: 3_600 },
    { percent: 100, after_seconds: 86_400 },
  ],
};

/** When devices at these places of the waves take it, as a device reads what is published; null: at once. */
async function dueAt(site: Site, places: readonly number[]): Promise<(string | null)[]> {
  const device = await deviceOf(site.workspace.public);
  const [target] = await (await device.refresh(site.workspace.public)).list("stable", "rules");
  assert.ok(target);
  const release = readRelease(target);
  if ("reason" in release) throw new Error(release.reason);
  return places.map((place) => {
    const seconds = waveDueSeconds(release, place);
    return seconds === null ? null : new Date(seconds * 1_000).toISOString();
  });
}

const newest = async ({ workspace }: Site) =>
  watchedReleases((await readState(workspace)).published).flatMap(({ version, newestIn }) =>
    newestIn.length > 0 ? [version] : [],
  );

/** Stops the published release that is the newest. */
async function halt({ workspace }: Site, means: "pause" | "withdraw", hasKeys = true) {
  const tally = new Tally({ countBy: "devices", silentAfterSeconds: 86_400, countsSilent: false });
  tally.watch(watchedReleases((await readState(workspace)).published));
  const [release] = tally.figures();
  assert.ok(release);
  const keys = hasKeys ? await keysOf(workspace) : [];
  return haltRollout(workspace, release, { means, reason: "30 of 100", keys });
}

const never = "2999-12-31T00:00:00.000Z";

describe("a paused release", () => {
  it("is put off for every device, of whatever wave, and goes on where it was", async (test) => {
    const site = await publishedSite(test, [{ waves }]);
    const due = () => dueAt(site, [0.05, 0.5]);
    assert.deepEqual(await due(), ["2026-11-20T13:00:00.000Z", "2026-11-21T12:00:00.000Z"]);
    const order = { selection, keys: await keysOf(site.workspace) };
    await pauseRelease(at(site.workspace, "2026-11-20T15:00:00Z"), order);
    await publishAll(site);
    assert.deepEqual(await due(), [never, never]);
    await assert.rejects(pauseRelease(site.workspace, order), /has been paused since 2026-11-20T15:00:00Z/);
    // Two days later: the first wave has come, the second is 21 hours away as it was.
    const later = at(site.workspace, "2026-11-22T15:00:00Z");
    await resumeRelease(later, order);
    await publishAll({ workspace: later });
    assert.deepEqual(await due(), ["2026-11-22T13:00:00.000Z", "2026-11-23T12:00:00.000Z"]);
    await assert.rejects(resumeRelease(site.workspace, order), /is not paused/);
  });

  it("waits without waves and although it is urgent, and is urgent again afterwards", async (test) => {
    const site = await publishedSite(test, [{ urgent: true }]);
    const order = { selection, keys: await keysOf(site.workspace) };
    for (const [change, due] of [
      [pauseRelease, never],
      [resumeRelease, null],
    ] as const) {
      await change(site.workspace, order);
      await publishAll(site);
      assert.deepEqual(await dueAt(site, [0]), [due]);
    }
  });
});

describe("a halt", () => {
  for (const means of ["pause", "withdraw"] as const)
    it(`publishes the ${means} of the release, and nothing else, and does not go on to the release before`, async (test) => {
      const site = await publishedSite(test, [{ version: "0.9.0" }, {}]);
      assert.deepEqual(await newest(site), ["1.0.0"]);
      const done = await halt(site, means);
      const roles = done.published?.published.map(({ role }) => role);
      assert.deepEqual(roles, ["timestamp", "snapshot", "rules"]);
      assert.deepEqual(await newest(site), [], "it would be stopped a second time");
    });

  it("is drafted where a draft waits, or no key is at hand, and says so", async (test) => {
    const site = await publishedSite(test);
    const unsigned = await halt(site, "pause", false);
    assert.deepEqual([unsigned.published, unsigned.lacking[0]?.missing], [null, 1]);
    await add(site, { version: "2.0.0" });
    const done = await halt(site, "withdraw");
    assert.deepEqual([done.published, done.hasOtherChanges], [null, true]);
    const { published, drafts } = await readState(site.workspace);
    const count = (targets = {}) => Object.keys(targets).length;
    const found = [published, drafts].map(({ rules }) => count(rules?.signed.targets));
    assert.deepEqual(found, [1, 2]);
  });
});
