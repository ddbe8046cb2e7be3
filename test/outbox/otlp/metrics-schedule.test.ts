import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Timers } from "../../../src/host/ports.ts";
import { startMetricsSchedule } from "../../../src/outbox/otlp/metrics-schedule.ts";
import { type Delivery, retry } from "../../../src/outbox/receiver.ts";

const sent: Delivery = { outcome: "taken", answer: "200 OK" };
const begin = Date.parse("2026-11-27T10:00:00Z");

/** A schedule every 300 s whose pushes have these outcomes, the last of them again and again. */
function scheduled(...outcomes: Delivery[]) {
  let [now, due] = [0, Number.POSITIVE_INFINITY];
  let waiting: (() => void) | undefined;
  const timers: Timers = {
    after: (seconds, call) => {
      [due, waiting] = [now + seconds, call];
      return () => {
        [due, waiting] = [Number.POSITIVE_INFINITY, undefined];
      };
    },
  };
  const pushes: number[] = [];
  const schedule = startMetricsSchedule({
    ...{ timers, intervalSeconds: 300, random: () => 0.25, wall: () => begin + now * 1_000 },
    uptime: () => now,
    push: async () => {
      pushes.push(now);
      return outcomes[Math.min(pushes.length, outcomes.length) - 1] ?? sent;
    },
  });
  return {
    ...{ schedule, pushes },
    isWaiting: () => waiting !== undefined,
    /** Lets the next timer end, and what follows of it. */
    next: async () => {
      const call = waiting;
      assert.ok(call !== undefined, "nothing waits");
      [now, due, waiting] = [due, Number.POSITIVE_INFINITY, undefined];
      call();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe("pushes of metrics", () => {
  it("begin after a random part of the interval, and follow by it", async () => {
    const { pushes, next } = scheduled(sent);
    for (let round = 0; round < 3; round += 1) await next();
    assert.deepEqual(pushes, [75, 375, 675]);
  });

  it("wait as long as a collector asks, when that is longer than the interval", async () => {
    const refused = (retryAfterSeconds: number): Delivery => ({
      outcome: "retry",
      error: "later",
      retryAfterSeconds,
    });
    const { pushes, next } = scheduled(refused(3_600), refused(10), sent);
    for (let round = 0; round < 3; round += 1) await next();
    assert.deepEqual(pushes, [75, 3_675, 3_975]);
  });

  it("say since when they fail, and why the last one did", async () => {
    const { schedule, next } = scheduled(sent, retry("nothing listens there"), retry("later"), sent);
    await next();
    assert.deepEqual(schedule.state(), { lastError: null, failingSeconds: 0, refused: 0 });
    for (let round = 0; round < 2; round += 1) await next();
    const lastError = { time: "2026-11-27T10:11:15.000Z", detail: "later" };
    assert.deepEqual(schedule.state(), { lastError, failingSeconds: 300, refused: 0 });
    await next();
    assert.deepEqual(schedule.state(), { lastError: null, failingSeconds: 0, refused: 0 });
  });

  it("that a collector refuses are counted until a person has seen that: no success ends it", async () => {
    const part: Delivery = { outcome: "refused", answer: "200 OK", error: "it refused 3 values", events: 3 };
    const whole: Delivery = { outcome: "refused", answer: "400 Bad Request", error: "bad data" };
    const { schedule, pushes, next } = scheduled(part, whole, whole, sent);
    await next();
    assert.deepEqual([schedule.state().failingSeconds, schedule.state().refused], [0, 1]);
    for (let round = 0; round < 2; round += 1) await next();
    assert.equal(schedule.state().failingSeconds, 300);
    await next();
    const detail = "Pushes of metrics refused, in whole or in part: 3. bad data";
    const lastError = { time: "2026-11-27T10:11:15.000Z", detail };
    assert.deepEqual([schedule.state(), pushes.length], [{ lastError, failingSeconds: 0, refused: 3 }, 4]);
    assert.deepEqual([schedule.seen(), schedule.seen()], [detail, undefined]);
    assert.deepEqual(schedule.state(), { lastError: null, failingSeconds: 0, refused: 0 });
  });

  it("are over once they are closed, also while one is under way", async () => {
    const { schedule, pushes, next, isWaiting } = scheduled(sent);
    const pushing = next();
    await schedule.close();
    await pushing;
    assert.deepEqual([pushes.length, isWaiting()], [1, false]);
    const other = scheduled(sent);
    await other.schedule.close();
    assert.equal(other.isWaiting(), false);
  });
});
