import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Timers } from "../../../src/host/ports.ts";
import { startMetricsSchedule } from "../../../src/outbox/otlp/metrics-schedule.ts";
import type { Delivery } from "../../../src/outbox/receiver.ts";

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

  it("say when the last one succeeded, and why the last one failed", async () => {
    const { schedule, next } = scheduled(sent, { outcome: "retry", error: "nothing listens there" }, sent);
    assert.deepEqual(schedule.state(), { lastSuccess: null, lastError: null });
    await next();
    const lastSuccess = "2026-11-27T10:01:15.000Z";
    assert.deepEqual(schedule.state(), { lastSuccess, lastError: null });
    await next();
    const lastError = { time: "2026-11-27T10:06:15.000Z", detail: "nothing listens there" };
    assert.deepEqual(schedule.state(), { lastSuccess, lastError });
    await next();
    assert.equal(schedule.state().lastError, null);
  });

  it("that a collector refuses in part are no success, and follow by the interval", async () => {
    const error = "it refused 3 values";
    const refusal: Delivery = { outcome: "refused", answer: "200 OK", error, events: 3 };
    const { schedule, pushes, next } = scheduled(refusal, sent);
    await next();
    assert.deepEqual(schedule.state(), {
      lastSuccess: null,
      lastError: { time: "2026-11-27T10:01:15.000Z", detail: error },
    });
    await next();
    assert.deepEqual([pushes, schedule.state().lastError], [[75, 375], null]);
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
