import assert from "node:assert/strict";
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import fc from "fast-check";
import { runs } from "../../../lab/basics/counts.ts";
import { temporaryDirectory } from "../../../lab/basics/ending.ts";
import { type DatedPoint, RecordedDevice } from "../../../lab/state/recorded-history.ts";

const [hour, day] = [60, 1_440];

const deviceIn = async (test: TestContext) => new RecordedDevice(await temporaryDirectory(test));

/** Each point says the five minutes that its last reading was in, or the ones beside where the clock moved meanwhile. */
function assertDated(points: readonly DatedPoint[]): void {
  for (const { said, was } of points)
    assert.ok(Math.abs(Math.floor(was / 5) * 5 - said) <= 5, `minute ${was} is dated ${said}`);
  assertOnce(points);
}

function assertOnce(points: readonly DatedPoint[]): void {
  const minutes = points.map(({ was }) => was);
  assert.equal(new Set(minutes).size, minutes.length, "a reading is there twice");
}

/** The multiples of five minutes from `first` to before `end` that have a point. */
const present = (points: readonly DatedPoint[], first: number, end: number): number =>
  points.filter(({ said }) => said >= first && said < end).length;

describe("the history of a device", () => {
  it("has a point for each five minutes that are over", async (test) => {
    const device = await deviceIn(test);
    await device.run(4);
    assert.deepEqual(await device.points(), []);
    await device.run(21);
    const expected = [0, 5, 10, 15, 20].map((said) => ({ said, was: said + 4 }));
    assert.deepEqual(await device.points(), expected);
    const { start, step_seconds, series } = await device.read(24);
    const { load, temperature_celsius: heat } = series;
    assert.deepEqual([start, step_seconds, load.mean.length], ["2027-01-14T08:25:00.000Z", 300, 288]);
    assert.deepEqual([load.mean.at(-1), load.worst.at(-1), heat.mean.at(-1)], [0.22, 0.24, null]);
  });

  it("has the worst of each five minutes: the greatest, and of the offset the farthest from zero", async (test) => {
    const device = await deviceIn(test);
    for (const offset of [0.003, -0.005, 0.002, 0.001]) {
      device.figures = { clock_offset_seconds: offset, temperature_celsius: offset * 1_000 };
      await device.run(1);
    }
    device.figures = { ...device.figures, disk_used_ratio: Number.NaN };
    await device.run(1);
    const {
      clock_offset_seconds: offset,
      temperature_celsius: heat,
      ...others
    } = (await device.read()).series;
    assert.deepEqual([offset.mean.at(-1), offset.worst.at(-1)], [0.00025, -0.005]);
    assert.deepEqual([heat.mean.at(-1), heat.worst.at(-1)], [0.3, 3]);
    assert.equal(others.disk_used_ratio.mean.at(-1), null, "a reading that is no number");
  });

  it("has the means of means and the worst of worsts in half hours, which stay until the next is over", async (test) => {
    const device = await deviceIn(test);
    for (const offset of [0.001, 0.003, -0.005, 0.002, 0.004, 0.001]) {
      device.figures = { clock_offset_seconds: offset, temperature_celsius: offset * 10_000 };
      await device.run(5);
    }
    await device.run(25);
    const halves = await device.read(24, 1_800);
    assert.deepEqual([halves.start, halves.step_seconds], ["2027-01-14T08:30:00.000Z", 1_800]);
    const { clock_offset_seconds: offset, temperature_celsius: heat } = halves.series;
    assert.deepEqual([offset.mean.length, offset.mean.at(-2), offset.worst.at(-2)], [48, null, null]);
    // The first minute has no reading, so each point but the first has one of the figure before: in milliseconds their
    // means are 1, 2.6, −3.4, 0.6, 3.6 and 1.6.
    assert.deepEqual([offset.mean.at(-1), offset.worst.at(-1)], [0.001, -0.005]);
    assert.deepEqual([heat.mean.at(-1), heat.worst.at(-1)], [10, 40]);
    assert.deepEqual(await device.read(24, 1_800), halves);
    await device.run(5);
    assert.equal((await device.read(24, 1_800)).start, "2027-01-14T09:00:00.000Z");
  });

  it("has a week of half hours in a sixth of the bytes", async (test) => {
    const device = await deviceIn(test);
    for (let hours = 0; hours < 168; hours += 1) {
      const wave = Math.sin(hours / 5);
      device.figures = {
        ...{ clock_offset_seconds: wave / 1e4, clock_uncertainty_seconds: 0.0023 + wave / 1e3 },
        ...{ disk_used_ratio: 0.6 + hours / 1e3, memory_used_ratio: 0.4 + wave / 9 },
        temperature_celsius: 45 + 7 * wave,
      };
      await device.run(60);
    }
    const [fine, coarse] = await Promise.all([device.read(168, 300), device.read(168, 1_800)]);
    const [all, few] = [JSON.stringify(fine).length, JSON.stringify(coarse).length];
    assert.ok(few <= 32_768 && few * 5 < all, `${few} of ${all} bytes`);
    assert.equal(coarse.series.load.mean.filter((load) => load !== null).length, 336);
  });

  it("keeps the readings of a few minutes at a stop", async (test) => {
    const device = await deviceIn(test);
    await device.run(3);
    await device.close();
    device.restart(10);
    assert.deepEqual(await device.points(), [{ said: 0, was: 3 }]);
  });

  it("goes back seven days and no further", async (test) => {
    const device = await deviceIn(test);
    await device.run(9 * day);
    const points = await device.points();
    assertDated(points);
    assert.deepEqual([points.length, points[0]?.said, points.at(-1)?.said], [2_016, 2 * day, 9 * day - 5]);
  });

  it("goes on over restarts, with a gap of the time without the agent", async (test) => {
    const device = await deviceIn(test);
    for (const [minutes, minutesOff] of [
      [hour + 2, 0],
      [hour, 30],
    ] as const) {
      await device.run(minutes);
      await device.close();
      device.restart(minutesOff);
    }
    await device.run(hour);
    const points = await device.points();
    assertDated(points);
    assert.equal(present(points, 0, 2 * hour), 24);
    assert.equal(present(points, 2 * hour + 5, 2 * hour + 30), 0);
    assert.equal(present(points, 2 * hour + 35, 3 * hour + 30), 11);
  });

  it("loses an hour and the present five minutes at most when the power is cut", async (test) => {
    const device = await deviceIn(test);
    for (const minutes of [hour + 6, 2 * hour, 3 * hour - 7, 59]) {
      await device.run(minutes);
      const before = await device.points();
      const cutAt = device.minute;
      device.restart();
      const after = await device.points();
      assert.deepEqual(after, before.slice(0, after.length));
      const isKept = before.slice(after.length).every(({ was }) => was >= cutAt - 65);
      assert.ok(isKept, `cut at minute ${cutAt}: ${before.length - after.length} points are lost`);
    }
  });

  it("is one write an hour on the flash, and one at a stop where there is something new", async (test) => {
    const directory = await temporaryDirectory(test);
    const device = new RecordedDevice(directory);
    const file = () => stat(join(directory, "history.bin")).catch(() => null);
    let [writes, last] = [0, 0];
    const look = async () => {
      const now = (await file())?.ino ?? 0;
      if (now !== last) writes += 1;
      last = now;
      return writes;
    };
    for (let minutes = 0; minutes < 2 * day; minutes += 1) {
      await device.run(1);
      await look();
    }
    assert.ok(writes >= 46 && writes <= 48, `${writes} writes in 48 hours`);
    assert.equal((await file())?.size, 48_448);
    await device.close();
    const atStop = await look();
    assert.ok(atStop <= 49);
    device.restart();
    await device.read();
    await device.close();
    assert.equal(await look(), atStop, "a restart without a reading");
  });
});

describe("the history of a device whose clock moves", () => {
  const lost = { error: -20 * 365 * 86_400, isMeasured: false };

  it("is dated by the time that is known later, where the clock was wrong since the boot", async (test) => {
    for (const error of [-6 * 365 * 86_400, -7_200, 900, 86_400 * 400]) {
      const device = await deviceIn(test);
      await device.run(2 * hour);
      await device.close();
      device.restart(15);
      Object.assign(device, { error, isMeasured: false });
      await device.run(3 * hour);
      Object.assign(device, { error: 0, isMeasured: true });
      await device.run(30);
      const points = await device.points();
      assertDated(points);
      assert.equal(present(points, 2 * hour + 20, 5 * hour + 40), 40, `wrong by ${error} s`);
      assert.equal(present(points, 0, 2 * hour), 24, "the points before are as they were");
    }
  });

  it("loses nothing to a step by another program that is undone within 17 minutes", async (test) => {
    for (const step of [-8 * 86_400, -3_600, -300, 300, 7_200, 400 * 86_400]) {
      const device = await deviceIn(test);
      await device.run(10 * hour);
      device.error = step;
      await device.run(17);
      await device.read();
      device.error = 0;
      await device.run(hour);
      const points = await device.points();
      assertDated(points);
      assert.ok(points.length >= 11 * 12 + 1, `${points.length} points after a step of ${step} s`);
    }
  });

  it("goes on after the newest point, where the clock says an earlier time and nobody knows better", async (test) => {
    const device = await deviceIn(test);
    for (const change of [{}, lost, lost]) {
      if (device.minute > 0) device.restart();
      Object.assign(device, change);
      await device.run(5 * hour);
      await device.close();
    }
    device.restart();
    const points = await device.points();
    assertOnce(points);
    assert.ok(points.length >= 15 * 12 - 3, `${points.length} points`);
    assert.deepEqual(
      points,
      points.toSorted((one, other) => one.was - other.was),
    );
  });

  it("leaves no gap where the clock is lost while the agent runs", async (test) => {
    const device = await deviceIn(test);
    await device.run(5 * hour);
    Object.assign(device, lost);
    await device.run(5 * hour);
    const points = await device.points();
    assertDated(points);
    assert.ok(points.length >= 10 * 12 - 1, `${points.length} points`);
  });

  it("drops the points of a time that was wrong for long, once the right one is known", async (test) => {
    const device = await deviceIn(test);
    await device.run(5 * hour);
    device.error = 3 * 86_400;
    await device.run(2 * hour);
    assert.ok(present(await device.points(), 3 * day, 4 * day) > 0, "the measured time was believed");
    device.error = 0;
    await device.run(2 * hour);
    const points = await device.points();
    assertDated(points);
    assert.equal(present(points, 0, 5 * hour), 60);
    assert.ok(present(points, 7 * hour, 9 * hour) >= 23);
    await device.run(3 * day);
    assertDated(await device.points());
  });

  it("has no reading twice and answers, whatever the clock, the power and the agent do", async (test) => {
    const directories = await temporaryDirectory(test);
    let count = 0;
    const happening = fc.oneof(
      fc.record({ kind: fc.constant("run"), by: fc.integer({ min: 1, max: 150 }) }),
      fc.record({
        kind: fc.constant("clock"),
        by: fc.constantFrom(0, 0, -86_400, -3_600, -200, 200, 1_000, 90_000),
      }),
      fc.record({ kind: fc.constant("measured"), by: fc.integer({ min: 0, max: 1 }) }),
      fc.record({ kind: fc.constantFrom("restart", "cut"), by: fc.integer({ min: 0, max: 20 }) }),
    );
    const holds = fc.asyncProperty(fc.array(happening, { maxLength: 25 }), async (happenings) => {
      count += 1;
      const directory = join(directories, String(count));
      await mkdir(directory);
      const device = new RecordedDevice(directory);
      for (const { kind, by } of happenings) {
        if (kind === "run") await device.run(by);
        if (kind === "clock") device.error = by;
        if (kind === "measured") device.isMeasured = by === 1;
        if (kind === "restart") await device.close();
        if (kind === "restart" || kind === "cut") device.restart(by);
        assertOnce(await device.points());
      }
      assert.deepEqual(device.warnings, []);
    });
    await fc.assert(holds, runs({ usual: 40, all: 1_000 }));
  });
});
