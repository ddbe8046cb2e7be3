import assert from "node:assert/strict";
import { METHODS } from "node:http";
import { describe, it } from "node:test";
import { samplesOf } from "../../../lab/basics/metrics-samples.ts";
import { eventTypes } from "../../../src/contract/event-types.ts";
import { operationIds } from "../../../src/contract/operations.ts";
import { createEventCounts } from "../../../src/figures/metrics/event-counts.ts";
import { createExposition, type Exposition } from "../../../src/figures/metrics/exposition.ts";
import { createLoopDelay } from "../../../src/figures/metrics/loop-delay.ts";
import { type CountedRoute, createRequestCounts } from "../../../src/figures/metrics/request-counts.ts";
import type { Timers } from "../../../src/host/ports.ts";

function written(counts: { writeTo(exposition: Exposition): void }): ReadonlyMap<string, number> {
  const exposition = createExposition();
  counts.writeTo(exposition);
  return samplesOf(exposition.text());
}

describe("the counts of requests", () => {
  const answer = (route: CountedRoute, status: number, seconds = 0.001, method = "GET") => ({
    ...{ route, method, status, seconds },
  });

  it("tell routes and statuses apart, by the contract's path", () => {
    const counts = createRequestCounts();
    for (const status of [200, 200, 404]) counts.add(answer("getUser", status));
    counts.add(answer("updateUser", 200));
    const samples = written(counts);
    const [get, put] = ['method="GET",route="/api/users/{id}"', 'method="PUT",route="/api/users/{id}"'];
    assert.equal(samples.get(`steward_http_requests_total{${get},status="200"}`), 2);
    assert.equal(samples.get(`steward_http_requests_total{${get},status="404"}`), 1);
    assert.equal(samples.get(`steward_http_requests_total{${put},status="200"}`), 1);
  });

  it("have the durations of a group of routes in one histogram", () => {
    const counts = createRequestCounts();
    counts.add(answer("getUser", 200, 0.002));
    counts.add(answer("listUsers", 200, 0.3));
    counts.add(answer("getUser", 404, 20));
    counts.add(answer("getStatus", 200, 0.002));
    const samples = written(counts);
    const within = (le: string) =>
      samples.get(`steward_http_request_duration_seconds_bucket{group="users",le="${le}"}`);
    assert.deepEqual(["0.001", "0.005", "0.1", "0.5", "10", "+Inf"].map(within), [0, 1, 1, 2, 2, 3]);
    const [count, sum] = ["count", "sum"].map((part) =>
      samples.get(`steward_http_request_duration_seconds_${part}{group="users"}`),
    );
    assert.equal(count, 3);
    assert.ok(Math.abs((sum ?? 0) - 20.302) < 1e-9);
    assert.equal(samples.get('steward_http_request_duration_seconds_count{group="system"}'), 1);
  });

  it("name the method of a request without a route, and count unknown ones together", () => {
    const counts = createRequestCounts();
    for (const method of ["GET", "PROPFIND", "MKCOL", "PATCH"])
      counts.add(answer("none", 405, 0.001, method));
    const samples = written(counts);
    const of = (method: string) =>
      samples.get(`steward_http_requests_total{method="${method}",route="none",status="405"}`);
    assert.deepEqual(["GET", "PATCH", "other", "PROPFIND"].map(of), [1, 1, 2, undefined]);
  });

  it("stay few when a stranger walks over all routes by all methods", () => {
    const counts = createRequestCounts();
    for (const id of operationIds) for (const status of [400, 401, 404, 429]) counts.add(answer(id, status));
    for (const method of METHODS) counts.add(answer("none", 404, 0.001, method));
    const durations = [...written(counts).keys()].filter((name) => name.includes("_duration_"));
    assert.ok(durations.length <= 10 * 10, `${durations.length} series`);
  });
});

describe("the counts of events", () => {
  it("have a value for each type from the beginning", () => {
    const samples = written(createEventCounts());
    for (const type of Object.keys(eventTypes))
      assert.equal(samples.get(`steward_events_total{type="${type}"}`), 0, type);
    for (const outcome of ["succeeded", "invalid_credentials", "totp_required", "account_locked"])
      assert.equal(samples.get(`steward_sign_ins_total{outcome="${outcome}"}`), 0, outcome);
    // 503: the sign-in was not judged.
    assert.equal(samples.get('steward_sign_ins_total{outcome="hashing_busy"}'), undefined);
  });

  it("tell attempts to sign in from other requests that are refused", () => {
    const counts = createEventCounts();
    counts.recorded("sign_in.succeeded");
    counts.refused("sign_in.refused", "invalid_credentials");
    counts.refused("sign_in.refused", "totp_invalid");
    counts.refused("request.refused", "account_locked");
    const samples = written(counts);
    const attempts = [...samples].filter(([name, value]) => name.startsWith("steward_sign_ins") && value > 0);
    assert.deepEqual(attempts.sort(), [
      ['steward_sign_ins_total{outcome="invalid_credentials"}', 1],
      ['steward_sign_ins_total{outcome="succeeded"}', 1],
      ['steward_sign_ins_total{outcome="totp_invalid"}', 1],
    ]);
    assert.equal(samples.get('steward_events_total{type="sign_in.refused"}'), 2);
    assert.equal(samples.get('steward_events_total{type="request.refused"}'), 1);
  });
});

describe("the delay of the event loop", () => {
  /** Timers that run when the test says so, however late. */
  function virtual() {
    let now = 100;
    let waiting: (() => void) | undefined;
    const timers: Timers = {
      after: (_seconds, call) => {
        waiting = call;
        return () => {
          waiting = undefined;
        };
      },
    };
    const delay = createLoopDelay({ timers, monotonicNow: () => now });
    const pass = (seconds: number): void => {
      const due = waiting;
      waiting = undefined;
      now += seconds;
      due?.();
    };
    return { delay, pass, isMeasuring: () => waiting !== undefined };
  }

  it("is not measured before the first scrape, nor ten minutes after the last", () => {
    const { delay, pass, isMeasuring } = virtual();
    assert.equal(isMeasuring(), false);
    delay.read();
    assert.equal(isMeasuring(), true);
    for (let seconds = 0; seconds < 599; seconds += 0.5) pass(0.5);
    assert.equal(isMeasuring(), true);
    pass(0.5);
    pass(0.5);
    assert.equal(isMeasuring(), false);
  });

  it("is by how much a timer was late", () => {
    const { delay, pass } = virtual();
    delay.read();
    for (const seconds of [0.5, 0.4999, 0.53, 3.5]) pass(seconds);
    const { cumulative, sum } = delay.read();
    assert.deepEqual(
      cumulative.map(({ bound, count }) => [bound, count]),
      [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, Number.POSITIVE_INFINITY].map((bound) => [
        bound,
        bound < 0.03 ? 2 : bound < 3 ? 3 : 4,
      ]),
    );
    assert.ok(Math.abs(sum - 3.03) < 1e-9, String(sum));
  });

  it("is told of the last minute as client libraries do: least, most, mean and percentiles", () => {
    const { delay, pass } = virtual();
    delay.read();
    assert.equal(delay.lag(), null);
    // This one is too old to count: it is not among the last 120.
    pass(9.5);
    for (let count = 1; count <= 120; count += 1) pass(0.5 + count / 1_000);
    const { last, min, max, mean, p50, p90, p99 } = delay.lag() ?? assert.fail("nothing was measured");
    const milliseconds = [last, min, max, mean, p50, p90, p99].map((one) => Math.round(one * 10_000) / 10);
    assert.deepEqual(milliseconds, [120, 1, 120, 60.5, 60, 108, 119]);
  });

  it("is not measured after the stop", () => {
    const { delay, isMeasuring } = virtual();
    delay.read();
    delay.stop();
    assert.equal(isMeasuring(), false);
  });
});
