import assert from "node:assert/strict";
import { METHODS } from "node:http";
import { describe, it } from "node:test";
import fc from "fast-check";
import { runs } from "../../../lab/basics/counts.ts";
import { samplesOf } from "../../../lab/basics/metrics-samples.ts";
import { clockStates } from "../../../src/contract/clock-states.ts";
import { eventTypes } from "../../../src/contract/event-types.ts";
import { metricFamilies } from "../../../src/contract/metrics.ts";
import { operationIds } from "../../../src/contract/operations.ts";
import { createEventCounts } from "../../../src/figures/metrics/event-counts.ts";
import { createExposition, type Exposition } from "../../../src/figures/metrics/exposition.ts";
import { createHistogram } from "../../../src/figures/metrics/histogram.ts";
import { createLoopDelay } from "../../../src/figures/metrics/loop-delay.ts";
import { type CountedRoute, createRequestCounts } from "../../../src/figures/metrics/request-counts.ts";
import type { Timers } from "../../../src/host/ports.ts";

function written(counts: { writeTo(exposition: Exposition): void }): ReadonlyMap<string, number> {
  const exposition = createExposition();
  counts.writeTo(exposition);
  return samplesOf(exposition.text());
}

/** The samples of a metric, by their labels. */
const valuesOf = (samples: ReadonlyMap<string, number>, metric: string) =>
  Object.fromEntries(
    [...samples]
      .filter(([name, value]) => name.startsWith(`${metric}{`) && value > 0)
      .map(([name, value]) => [name.slice(metric.length), value]),
  );

describe("the counts of requests", () => {
  const answer = (route: CountedRoute, status: number, seconds = 0.001, method = "GET") => ({
    ...{ route, method, status, seconds },
  });
  const countsOf = (...answers: ReturnType<typeof answer>[]) => {
    const counts = createRequestCounts();
    for (const one of answers) counts.add(one);
    return written(counts);
  };

  it("tell routes and statuses apart by the contract's path, and unknown methods not", () => {
    const codes = [200, 200, 404].map((status) => answer("getUser", status));
    const methods = ["GET", "PROPFIND", "MKCOL", "PATCH"].map((name) => answer("none", 405, 0.001, name));
    const samples = countsOf(...codes, answer("updateUser", 200), ...methods);
    assert.deepEqual(valuesOf(samples, "steward_http_requests_total"), {
      '{method="GET",route="/api/users/{id}",status="200"}': 2,
      '{method="GET",route="/api/users/{id}",status="404"}': 1,
      '{method="PUT",route="/api/users/{id}",status="200"}': 1,
      '{method="GET",route="none",status="405"}': 1,
      '{method="other",route="none",status="405"}': 2,
      '{method="PATCH",route="none",status="405"}': 1,
    });
  });

  it("have the durations of a group of routes in one histogram", () => {
    const users = [answer("getUser", 200, 0.002), answer("listUsers", 200, 0.3), answer("getUser", 404, 20)];
    const samples = countsOf(...users, answer("getStatus", 200, 0.002));
    const of = (part: string) => samples.get(`steward_http_request_duration_seconds_${part}`);
    const within = (le: string) => of(`bucket{group="users",le="${le}"}`);
    assert.deepEqual(["0.001", "0.005", "0.1", "0.5", "10", "+Inf"].map(within), [0, 1, 1, 2, 2, 3]);
    assert.deepEqual([of('count{group="users"}'), of('count{group="system"}')], [3, 1]);
    assert.ok(Math.abs((of('sum{group="users"}') ?? 0) - 20.302) < 1e-9);
  });

  it("stay few when a stranger walks over all routes by all methods", () => {
    const routes = operationIds.flatMap((id) => [400, 401, 404, 429].map((status) => answer(id, status)));
    const samples = countsOf(...routes, ...METHODS.map((name) => answer("none", 404, 0.001, name)));
    const durations = [...samples.keys()].filter((name) => name.includes("_duration_"));
    assert.ok(durations.length <= 11 * 10, `${durations.length} series`);
  });
});

describe("the counts of events", () => {
  it("have a value for each type from the beginning", () => {
    const samples = written(createEventCounts());
    for (const type of Object.keys(eventTypes))
      assert.equal(samples.get(`steward_events_total{type="${type}"}`), 0, type);
    // 503: the sign-in was not judged.
    for (const [outcome, count] of Object.entries({
      ...{
        succeeded: 0,
        invalid_credentials: 0,
        totp_required: 0,
        account_locked: 0,
        hashing_busy: undefined,
      },
    }))
      assert.equal(samples.get(`steward_sign_ins_total{outcome="${outcome}"}`), count, outcome);
  });

  it("tell attempts to sign in from other requests that are refused", () => {
    const counts = createEventCounts();
    counts.recorded("sign_in.succeeded");
    counts.refused("sign_in.refused", "invalid_credentials");
    counts.refused("sign_in.refused", "totp_invalid");
    counts.refused("request.refused", "account_locked");
    counts.recorded("product.reported");
    counts.recorded("product.reported", 12);
    const samples = written(counts);
    assert.deepEqual(valuesOf(samples, "steward_sign_ins_total"), {
      '{outcome="invalid_credentials"}': 1,
      '{outcome="succeeded"}': 1,
      '{outcome="totp_invalid"}': 1,
    });
    assert.deepEqual(valuesOf(samples, "steward_events_total"), {
      '{type="sign_in.succeeded"}': 1,
      '{type="sign_in.refused"}': 2,
      '{type="request.refused"}': 1,
      '{type="product.reported"}': 13,
    });
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

  it("is not measured before the first scrape, nor ten minutes after the last, nor after the stop", () => {
    const { delay, pass, isMeasuring } = virtual();
    assert.equal(isMeasuring(), false);
    delay.read();
    assert.equal(isMeasuring(), true);
    for (let seconds = 0; seconds < 599; seconds += 0.5) pass(0.5);
    assert.equal(isMeasuring(), true);
    pass(0.5);
    pass(0.5);
    assert.equal(isMeasuring(), false);
    delay.read();
    assert.equal(isMeasuring(), true);
    delay.stop();
    assert.equal(isMeasuring(), false);
  });

  it("is by how much a timer was late", () => {
    const { delay, pass } = virtual();
    delay.read();
    for (const seconds of [0.5, 0.4999, 0.53, 3.5]) pass(seconds);
    const { cumulative, sum } = delay.read();
    const [two, three] = [
      [0.005, 0.01, 0.025],
      [0.05, 0.1, 0.25, 1],
    ];
    assert.deepEqual(cumulative, [
      ...two.map((bound) => ({ bound, count: 2 })),
      ...three.map((bound) => ({ bound, count: 3 })),
      ...[5, Number.POSITIVE_INFINITY].map((bound) => ({ bound, count: 4 })),
    ]);
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
});

// By hand from https://prometheus.io/docs/instrumenting/exposition_formats/#text-format-details.
describe("Prometheus' text format", () => {
  it("has the help and the type of a metric once, before its values", () => {
    const exposition = createExposition();
    exposition.add("steward_clock_sources", 2, { state: "candidate" });
    exposition.add("steward_sessions", 3, {});
    exposition.add("steward_clock_sources", 1, { state: "selected" });
    assert.equal(
      exposition.text(),
      [
        "# HELP steward_clock_sources Time sources in this state.",
        "# TYPE steward_clock_sources gauge",
        'steward_clock_sources{state="candidate"} 2',
        'steward_clock_sources{state="selected"} 1',
        "# HELP steward_sessions Sessions that have neither ended nor expired.",
        "# TYPE steward_sessions gauge",
        "steward_sessions 3",
        "",
      ].join("\n"),
    );
  });

  it("escapes backslash, quote and line feed in the value of a label, and leaves out what is not known", () => {
    const exposition = createExposition();
    exposition.add("steward_clock_offset_seconds", null, {});
    assert.equal(exposition.text(), "");
    exposition.add("steward_build_info", 1, { version: '1"\n\\', commit: "", node: "é" });
    assert.ok(
      exposition.text().endsWith('{version="1\\"\\n\\\\",commit="",node="é"} 1\n'),
      exposition.text(),
    );
  });

  it("writes small and large numbers as Go's ParseFloat reads them", () => {
    const numbers = { steward_clock_offset_seconds: -1.5e-9, process_resident_memory_bytes: 2 ** 70 };
    const exposition = createExposition();
    for (const [name, value] of Object.entries(numbers))
      exposition.add(name as keyof typeof numbers, value, {});
    assert.deepEqual(Object.fromEntries(samplesOf(exposition.text())), numbers);
  });

  it("counts what is at most a bound of a histogram, the infinite one last, with sum and count", () => {
    const histogram = createHistogram([0.1, 1]);
    for (const seconds of [0.1, 0.25, 0.5, 4]) histogram.observe(seconds);
    const exposition = createExposition();
    exposition.addHistogram("steward_event_loop_delay_seconds", histogram.read(), {});
    assert.deepEqual(exposition.text().trimEnd().split("\n").slice(2), [
      'steward_event_loop_delay_seconds_bucket{le="0.1"} 1',
      'steward_event_loop_delay_seconds_bucket{le="1"} 3',
      'steward_event_loop_delay_seconds_bucket{le="+Inf"} 4',
      "steward_event_loop_delay_seconds_sum 4.85",
      "steward_event_loop_delay_seconds_count 4",
    ]);
  });

  it("is the same as that of an exposition which has written nothing before, whatever has changed since", () => {
    const few = fc.integer({ min: 0, max: 2 });
    const written = fc.record({
      needs: fc.array(fc.tuple(fc.constantFrom("clock", "device_unnamed", "tokens_ending"), few), {
        maxLength: 50,
        size: "max",
      }),
      version: fc.constantFrom("1.0", '1.1"', "1.2\\"),
      sessions: fc.constantFrom(null, 0, -0, 1.5),
      state: fc.constantFrom(null, ...clockStates),
      durations: fc.array(fc.tuple(fc.constantFrom("users", "system"), fc.boolean(), fc.array(few))),
    });
    fc.assert(
      fc.property(fc.array(written), (texts) => {
        const kept = createExposition();
        for (const values of texts) {
          const fresh = createExposition();
          for (const { add, addStates, addHistogram } of [kept, fresh]) {
            for (const [code, value] of values.needs) add("steward_need", value, { code });
            add("steward_build_info", 1, { version: values.version, commit: "", node: "20" });
            add("steward_sessions", values.sessions, {});
            addStates("steward_clock_state", "state", clockStates, values.state);
            for (const [group, isFine, observed] of values.durations) {
              const histogram = createHistogram(isFine ? [0.1, 1] : [0.1, 2]);
              for (const seconds of observed) histogram.observe(seconds);
              addHistogram("steward_http_request_duration_seconds", histogram.read(), { group });
            }
          }
          assert.equal(kept.text(), fresh.text());
        }
      }),
      runs({ usual: 200, all: 5_000 }),
    );
  });

  it("names metrics as Prometheus' conventions have it: unit last, _total for counters alone", () => {
    for (const [name, { type, help }] of Object.entries(metricFamilies)) {
      assert.match(name, /^(steward|process|nodejs)(_[a-z]+|_p\d+)+$/);
      assert.equal(name.endsWith("_total"), type === "counter", name);
      assert.match(help, /\.$/, name);
      if (type === "histogram") assert.match(name, /_seconds$/);
    }
  });
});
