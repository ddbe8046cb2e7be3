import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createCounters } from "../../../src/clock/counters.ts";
import { Steering } from "../../../src/clock/discipline/steering.ts";
import type { ClockDriver, Leap } from "../../../src/host/ports.ts";

/** A kernel's clock that moves only when it is steered. */
function standingClock() {
  const wall = { seconds: 1_000_000 };
  const driver: ClockDriver = {
    ...{ blocker: null, kernel: () => null, slew: () => undefined, setQuality: () => undefined },
    read: () => ({ wallSeconds: wall.seconds, monotonicSeconds: 100 }),
    step: (seconds) => {
      wall.seconds += seconds;
    },
    setFrequency: (ppm) => ppm,
  };
  const steering = new Steering({ driver, counters: createCounters(), storedPpm: () => null });
  steering.take("host", true);
  const tell = (leap: Leap): void => {
    steering.setQuality({ isSynchronised: true, maxErrorSeconds: 0, estErrorSeconds: 0, leap });
  };
  return { wall, steering, tell };
}

describe("a second by which the clock moved", () => {
  for (const [name, leap, seconds, isLeap] of [
    ["back, with a second to insert", "insert", -1, true],
    ["forward, with one to delete", "delete", 1, true],
    ["forward, with one to insert", "insert", 1, false],
    ["back, with none announced", "none", -1, false],
  ] as const) {
    const expected = isLeap ? null : { kind: "step", seconds };
    it(`${name}, is ${isLeap ? "the leap second" : "another program's step"}`, () => {
      const { wall, steering } = standingClock();
      wall.seconds += seconds;
      assert.deepEqual(steering.externalChange(leap), expected);
    });
    it(`${name} to the kernel, and by no server any more, is ${isLeap ? "that leap second" : "a step"}`, () => {
      const { wall, steering, tell } = standingClock();
      tell(leap);
      wall.seconds += seconds;
      assert.deepEqual(steering.externalChange("none"), expected);
    });
  }
});
