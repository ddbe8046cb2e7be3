import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, it, type TestContext } from "node:test";
import { fakeClock } from "../../../lab/agents/faked-time.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { testProgram } from "../../../lab/basics/test-program.ts";
import { hostClock } from "../../../lab/host/host-clock.ts";
import { createNullClockDriver } from "../../../src/host/linux/clock/null-clock-driver.ts";
import type { NullReading } from "./null-clock-process.ts";

/** A null driver in a process whose wall clock libfaketime moves, while its monotonic clock runs on. */
function startFaked(test: TestContext) {
  const directory = scratchDirectory();
  const clock = fakeClock(join(directory, "time"));
  clock.move(0);
  const child = spawn(process.execPath, testProgram(join(import.meta.dirname, "null-clock-process.ts")), {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, ...clock.environment },
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  test.after(() => child.kill());
  return {
    move: clock.move,
    read: async (suspendedSeconds = 0): Promise<NullReading> => {
      child.stdin.write(`${suspendedSeconds}\n`);
      const { value } = await lines.next();
      return JSON.parse(value);
    },
  };
}

/** libfaketime looks into its file at each call, so a millisecond there is found later than elsewhere. */
function assertRight({ wallSeconds, between: [before, after] }: NullReading): void {
  assert.ok(wallSeconds * 1_000 > before - 1, `${wallSeconds} lies before ${before}`);
  assert.ok(wallSeconds * 1_000 < after + 2, `${wallSeconds} lies after ${after}`);
}

/** Between two readings the monotonic seconds went on as CLOCK_MONOTONIC did. */
function assertSteady(first: NullReading, second: NullReading): void {
  const passed = second.monotonic + second.tookSeconds - first.monotonic;
  const carried = second.monotonicSeconds - first.monotonicSeconds;
  assert.ok(carried > 0, `went back by ${-carried} s`);
  assert.ok(carried < passed, `${carried} s in ${passed} s`);
}

describe("the null driver", () => {
  // Whatever else runs here can only make a calibration worse: half of them say what the driver itself can do.
  it("agrees with the kernel's own reading to 50 µs in half of its calibrations, and to 2 ms in 9 of 10", () => {
    const errors = Array.from({ length: 50 }, () => {
      const driver = createNullClockDriver("no_addon");
      driver.read();
      const before = hostClock.read().wallSeconds;
      const read = driver.read().wallSeconds;
      const after = hostClock.read().wallSeconds;
      return Math.max(before - read, read - after, 0);
    }).sort((a, b) => a - b);
    assert.ok((errors[24] ?? 1) < 50e-6, `half of them err by up to ${(errors[24] ?? 1) * 1e6} µs`);
    assert.ok((errors[44] ?? 1) < 2e-3, `9 of 10 err by up to ${errors[44]} s`);
  });

  describe("when the wall clock is stepped between two looks", () => {
    it("shows the new time, and its monotonic seconds run on", async (test) => {
      const clock = startFaked(test);
      let [before, at] = [await clock.read(), 0];
      for (const offset of [3_600, -3_600, -820_000_000, 0.005, -0.005]) {
        clock.move(offset);
        const after = await clock.read();
        assertRight(after);
        assertSteady(before, after);
        const passed = after.monotonicSeconds - before.monotonicSeconds;
        const moved = after.wallSeconds - before.wallSeconds - passed;
        assert.ok(Math.abs(moved - (offset - at)) < 0.002, `moved by ${moved} s`);
        [before, at] = [after, offset];
      }
    });

    it("waits for the next millisecond once, and for none while nothing moves", async (test) => {
      const clock = startFaked(test);
      await clock.read();
      const calm = await Promise.all(Array.from({ length: 20 }, () => clock.read()));
      const quick = calm.filter(({ looks }) => looks === 1).length;
      // Between the two clocks of a reading the machine may have held it up, which looks like a step.
      assert.ok(quick >= 10, `${quick} of 20 readings looked at the clock once`);
      clock.move(60);
      const moved = await clock.read();
      assertRight(moved);
      assert.ok(moved.looks > 1, "it has waited for no millisecond after the step");
    });
  });

  it("counts a suspension, in which the wall clock ran on and the process's own time did not", async (test) => {
    const clock = startFaked(test);
    const before = await clock.read();
    clock.move(3600);
    const after = await clock.read(3_600);
    assertRight(after);
    const passed = after.monotonic - before.monotonic;
    const counted = after.monotonicSeconds - before.monotonicSeconds;
    // To a hundredth of a second, and what the two readings took.
    const inexact = 0.05 + before.tookSeconds + after.tookSeconds;
    assert.ok(Math.abs(counted - passed - 3_600) < inexact, `counted ${counted} s`);
  });

  it("comes back from a wall clock that stands still", async (test) => {
    const clock = startFaked(test);
    await clock.read();
    clock.move("2020-01-01 00:00:00");
    const { wallSeconds, between, tookSeconds } = await clock.read();
    // Carried on by the process's own time for as long as the reading took.
    const error = Math.abs(wallSeconds * 1_000 - between[0]);
    assert.ok(error < 10 + tookSeconds * 1_000, `${wallSeconds} s instead of ${between[0]} ms`);
  });
});
