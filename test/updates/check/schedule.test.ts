import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createVirtualTime } from "../../../lab/simulated/virtual-time.ts";
import { createAlarm } from "../../../src/updates/check/alarm.ts";
import { firstCheckIn, leftOf, nextCheckIn, retryIn } from "../../../src/updates/check/schedule.ts";

const hour = 3_600;
const day = 24 * hour;
const sixHours = 6 * hour;

describe("the schedule of checks", () => {
  it("takes the interval, a tenth earlier or later", () => {
    const found = [0, 0.5, 1].map((chance) => Math.round(nextCheckIn(sixHours, chance)));
    assert.deepEqual(found, [19_440, 21_600, 23_760]);
  });

  it("spreads the first check over half an hour, or over an interval that is shorter", () => {
    assert.deepEqual(
      [firstCheckIn(sixHours, 0), firstCheckIn(sixHours, 1), firstCheckIn(300, 0.5)],
      [0, 1_800, 150],
    );
  });

  it("waits five minutes after a failure, then twice as long each time, up to the interval", () => {
    const found = [1, 2, 3, 4, 5, 6, 7, 8, 100_000].map((failures) => retryIn(failures, sixHours, 0.5) / 60);
    assert.deepEqual(found, [5, 10, 20, 40, 80, 160, 320, 360, 360]);
  });

  it("waits as long as the server asks, no longer than a day (freeze attack), and never less than it would", () => {
    const asked = (failures: number, seconds: number) => retryIn(failures, sixHours, 0.5, seconds);
    assert.deepEqual([asked(1, 10 * hour), asked(1, 1e12), asked(2, 1)], [10 * hour, day, 600]);
  });

  for (const [what, left, boot, uptime] of [
    ["goes on while the agent is down", 200, "boot", 1_400],
    ["is over when it would have been", 0, "boot", 9_000],
    ["is whole after a reboot", 600, "other", 5_000],
    ["is whole where the boot cannot be told from the last one", 600, "boot", 3],
  ] as const)
    it(`has a stored wait that ${what}`, () => {
      assert.equal(leftOf({ boot_id: "boot", uptime: 1_000, left: 600 }, boot, uptime), left);
      assert.equal(leftOf(null, boot, uptime), 0);
    });
});

describe("an alarm", () => {
  function waiting() {
    const time = createVirtualTime();
    const rung: number[] = [];
    const ring = (): void => void rung.push(time.now());
    return { time, alarm: createAlarm({ timers: time.hostTimers, uptime: () => time.now() }, ring), rung };
  }

  it("goes off once, when its time has come", async () => {
    const { time, alarm, rung } = waiting();
    alarm.set(40 * day);
    assert.equal(alarm.left(), 40 * day);
    await time.runUntil(41 * day);
    assert.deepEqual([rung, alarm.left()], [[40 * day], null]);
  });

  it("goes off soon and never at once, by the last time that was set, and not once it is cleared", async () => {
    const { time, alarm, rung } = waiting();
    alarm.set(0);
    assert.deepEqual(rung, []);
    await time.runUntil(0);
    assert.deepEqual(rung, [0]);
    alarm.set(100);
    alarm.set(200);
    await time.runUntil(day);
    assert.deepEqual(rung, [0, 200]);
    alarm.set(100);
    alarm.clear();
    await time.runUntil(2 * day);
    assert.deepEqual([rung.length, alarm.left()], [2, null]);
  });

  it("is late by an hour at most when the host has slept, whose timers stand still while its uptime goes on", async () => {
    const { time, alarm, rung } = waiting();
    alarm.set(sixHours);
    await time.runUntil(600);
    time.postponeHostTimers(5 * hour);
    await time.runUntil(day);
    assert.ok((rung[0] ?? day) <= 7 * hour, `went off at ${rung[0]}`);
  });
});
