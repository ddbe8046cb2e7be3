import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createVirtualTime } from "../../../lab/simulated/virtual-time.ts";
import { createAlarm } from "../../../src/updates/check/alarm.ts";

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
