import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { plan } from "../../../lab/installer/simulated-installer.ts";
import { createReleaseHost } from "../../../lab/simulated/release-host.ts";
import { createHealthWatch } from "../../../src/installer/trial/health-watch.ts";
import type { Trial } from "../../../src/releases/release-journal.ts";

const trial: Trial = {
  release: { id: "1".repeat(32), name: "pump", version: "1.1.0" },
  ...{ phase: "confirming", begun_at: "2026-11-20T12:00Z", begun_uptime: 100, boot_id: "boot-1", boots: 1 },
  ...{ crashes: 1, deadline_uptime: 160, undo: null },
  health: { successes: 2, needed: 3, last: null, at: null },
};
const release = { kind: "binary", version: "1.1.0", directory: "/current" } as const;
const at = "2026-11-20T12:00:00.000Z";

function watching(options = {}) {
  const host = createReleaseHost(options);
  const watch = createHealthWatch(host);
  const poll = (change: Partial<Trial> = {}, unit: string | null = plan.unit) =>
    watch.poll({ ...trial, ...change }, { ...plan, unit }, release);
  const is = (change: Partial<typeof host.unit>) => {
    host.unit = { ...host.unit, ...change };
  };
  return { host, watch, poll, is };
}

describe("a watch of the health of a release", () => {
  it("counts healthy answers in a row, and notes the last one with its time", async () => {
    const { host, poll } = watching();
    const health = { successes: 3, needed: 3, last: "1.1.0 is well", at };
    assert.deepEqual(await poll(), { crashes: 1, health });
    host.isHealthy = () => false;
    assert.equal((await poll()).health.successes, 0);
  });

  it("begins the row anew with an unclean exit, and with another start of the unit", async () => {
    const { poll, is, watch } = watching();
    watch.begin();
    await poll();
    const seen: number[] = [];
    for (const change of [{ uncleanExits: 2 }, {}, { invocation: "2" }, {}]) {
      is(change);
      seen.push((await poll()).health.successes);
    }
    assert.deepEqual(seen, [0, 3, 0, 3]);
  });

  it("counts the exits since it began, and none from before where it came in the middle", async () => {
    const [middle, first] = [watching(), watching()];
    for (const { is } of [middle, first]) is({ uncleanExits: 2 });
    first.watch.begin();
    assert.deepEqual([(await middle.poll()).crashes, (await first.poll()).crashes], [1, 3]);
    middle.is({ uncleanExits: 1 });
    assert.equal((await middle.poll()).crashes, 2, "fewer than before: all of them are new");
  });

  it("starts a unit that systemd has given up, but not one that has failed often enough", async () => {
    const { host, poll, is } = watching();
    is({ isFailed: true });
    await poll({ crashes: 3 });
    assert.deepEqual(host.acts, []);
    await poll({ crashes: 2 });
    assert.deepEqual(host.acts, ["restart pump.service"]);
    is({ uncleanExits: 1 });
    assert.equal((await poll()).crashes, 2, "the count of systemd began anew");
  });

  it("notes a unit that does not restart, or cannot be asked about, and goes on", async () => {
    const { host, poll, is, watch } = watching();
    const { units } = host;
    is({ isFailed: true });
    Object.assign(units ?? {}, { restart: () => Promise.reject(new Error("no such unit")) });
    await poll();
    assert.deepEqual(watch.lines(), [`${at} 1.1.0 is well`, `${at} no such unit`]);
    watch.begin();
    Object.assign(units ?? {}, { state: () => Promise.reject("systemd is busy") });
    assert.deepEqual([(await poll()).crashes, (await poll()).health.successes], [1, 3]);
    assert.deepEqual(watch.lines().slice(0, 2), [`${at} systemd is busy`, `${at} 1.1.0 is well`]);
  });

  it("restarts no unit whose state is only unclean, and none that it does not have", async () => {
    const { host, poll, is, watch } = watching();
    watch.begin();
    is({ uncleanExits: 1 });
    assert.deepEqual([(await poll({ crashes: 0 })).crashes, host.acts], [1, []]);
    for (const { poll, is, host } of [watching(), watching({ hasUnits: false })]) {
      is({ isFailed: true, uncleanExits: 9 });
      const unit = host.units === null ? plan.unit : null;
      const { crashes, health } = await poll({}, unit);
      assert.deepEqual([crashes, health.successes, host.acts], [1, 3, []]);
    }
  });

  it("keeps twenty lines of 300 characters, one for each change", () => {
    const { watch } = watching();
    assert.deepEqual(watch.lines(), []);
    for (const words of ["a", "a", "b", "a"]) watch.note(words);
    assert.deepEqual(
      watch.lines(),
      ["a", "b", "a"].map((words) => `${at} ${words}`),
    );
    watch.note("x".repeat(301));
    assert.equal(watch.lines().at(-1), `${at} ${"x".repeat(299)}…`);
    for (let count = 0; count < 20; count += 1) watch.note(`${count}`);
    assert.deepEqual([watch.lines().length, watch.lines()[0]], [20, `${at} 0`]);
    watch.begin();
    assert.deepEqual(watch.lines(), []);
  });
});
