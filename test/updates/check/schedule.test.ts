import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createVirtualTime } from "../../../lab/simulated/virtual-time.ts";
import { createAlarm } from "../../../src/updates/check/alarm.ts";
import { firstCheckIn, leftOf, nextCheckIn, retryIn } from "../../../src/updates/check/schedule.ts";

const hour = 3_600;
const sixHours = 6 * hour;

describe("the schedule of checks", () => {
  it("takes the interval, a tenth earlier or later", () => {
    assert.equal(nextCheckIn(sixHours, 0), 0.9 * sixHours);
    assert.equal(nextCheckIn(sixHours, 0.5), sixHours);
    assert.equal(Math.round(nextCheckIn(sixHours, 1)), 23_760);
  });

  it("spreads the first check over half an hour, or over an interval that is shorter", () => {
    assert.equal(firstCheckIn(sixHours, 0), 0);
    assert.equal(firstCheckIn(sixHours, 1), 1_800);
    assert.equal(firstCheckIn(300, 0.5), 150);
  });

  describe("after failures", () => {
    const retry = (failures: number, retryAfterSeconds?: number) =>
      retryIn(failures, sixHours, 0.5, retryAfterSeconds);

    it("waits five minutes, then twice as long each time, up to the interval", () => {
      const found = [1, 2, 3, 4, 5, 6, 7, 8].map((failures) => retry(failures) / 60);
      assert.deepEqual(found, [5, 10, 20, 40, 80, 160, 320, 360]);
    });

    it("waits for no more than the interval after very many", () => assert.equal(retry(100_000), sixHours));

    it("waits as long as the server asks", () => assert.equal(retry(1, 10 * hour), 10 * hour));

    it("waits no longer than a day for a server, whatever it asks (freeze attack)", () => {
      assert.equal(retry(1, 1e12), 24 * hour);
    });

    it("does not come back earlier because a server asks for less", () => assert.equal(retry(2, 1), 600));
  });
});

describe("a wait that was stored", () => {
  const stored = { boot_id: "boot", uptime: 1_000, left: 600 };

  it("goes on while the agent is down", () => assert.equal(leftOf(stored, "boot", 1_400), 200));
  it("is over when it would have been", () => assert.equal(leftOf(stored, "boot", 9_000), 0));
  it("is whole after a reboot", () => assert.equal(leftOf(stored, "other", 5_000), 600));
  it("is whole where the boot cannot be told from the last one", () =>
    assert.equal(leftOf(stored, "boot", 3), 600));
  it("is none where none was stored", () => assert.equal(leftOf(null, "boot", 3), 0));
});

const day = 86_400;

function waiting() {
  const time = createVirtualTime();
  const rung: number[] = [];
  const alarm = createAlarm({ timers: time.hostTimers, uptime: () => time.now() }, () =>
    rung.push(time.now()),
  );
  return {
    time,
    alarm,
    rung,
    /** The host's timers stand still, and its uptime goes on. */
    sleep: (seconds: number) => time.postponeHostTimers(seconds),
  };
}

describe("an alarm", () => {
  it("goes off once, when its time has come", async () => {
    const { time, alarm, rung } = waiting();
    alarm.set(40 * day);
    assert.equal(alarm.left(), 40 * day);
    await time.runUntil(41 * day);
    assert.deepEqual(rung, [40 * day]);
    assert.equal(alarm.left(), null);
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

  it("is late by an hour at most when the host has slept", async () => {
    const { time, alarm, rung, sleep } = waiting();
    alarm.set(6 * 3_600);
    await time.runUntil(600);
    sleep(5 * 3_600);
    await time.runUntil(day);
    assert.ok((rung[0] ?? day) <= 7 * 3_600, `went off at ${rung[0]}`);
  });
});
