import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { runs } from "../../../lab/basics/counts.ts";
import { samplesOf } from "../../../lab/basics/metrics-samples.ts";
import { clockStates } from "../../../src/contract/clock-states.ts";
import { metricFamilies } from "../../../src/contract/metrics.ts";
import { createExposition } from "../../../src/figures/metrics/exposition.ts";
import { createHistogram } from "../../../src/figures/metrics/histogram.ts";

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
