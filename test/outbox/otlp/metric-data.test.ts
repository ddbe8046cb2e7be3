import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { samplesOf } from "../../../lab/basics/metrics-samples.ts";
import { judgeOtlp } from "../../../lab/host/otlp-requests.ts";
import { createEventCounts } from "../../../src/figures/metrics/event-counts.ts";
import { createExposition, type MetricSink } from "../../../src/figures/metrics/exposition.ts";
import { createHistogram } from "../../../src/figures/metrics/histogram.ts";
import { createRequestCounts } from "../../../src/figures/metrics/request-counts.ts";
import { createMetricData } from "../../../src/outbox/otlp/metric-data.ts";

const startMilliseconds = Date.parse("2026-11-27T10:00:00Z");
const nowMilliseconds = startMilliseconds + 300_000;
const resource = {
  ...{ version: "0.1.0", deviceId: "4f1d", deviceName: null, hostName: "edge-7", product: "steward" },
};

const delays = createHistogram([0.005, 0.1, 1]);
for (const seconds of [0.001, 0.05, 0.06, 7]) delays.observe(seconds);

/** Values of each kind: unknown and negative ones, states of one and of several, counts, histograms with labels. */
function write(sink: MetricSink): void {
  sink.add("steward_build_info", 1, { version: "0.1.0", commit: "", node: "24" });
  sink.add("steward_clock_offset_seconds", -0.0025, {});
  sink.add("steward_clock_uncertainty_seconds", null, {});
  sink.add("steward_host_memory_bytes", 2 ** 33, {});
  sink.add("process_start_time_seconds", startMilliseconds / 1_000, {});
  sink.add("process_cpu_seconds_total", 12.5, {});
  sink.addStates("steward_device_state", "state", ["healthy", "attention"], "attention");
  sink.addStates("steward_need", "code", ["disk_full", "clock", "people"], new Set(["disk_full", "people"]));
  sink.addStates("steward_clock_trust", "trust", ["trusted", "none"], null);
  sink.addHistogram("steward_event_loop_delay_seconds", delays.read(), {});
  const [events, requests] = [createEventCounts(), createRequestCounts()];
  events.recorded("user.created");
  for (const seconds of [0.002, 0.3, 20])
    requests.add({ route: "getUser", method: "GET", status: 200, seconds });
  events.writeTo(sink);
  requests.writeTo(sink);
}

function sent() {
  const data = createMetricData();
  write(data);
  const request = JSON.parse(JSON.stringify(data.request(resource, nowMilliseconds)));
  judgeOtlp("/v1/metrics", request);
  return request.resourceMetrics[0].scopeMetrics[0].metrics as Metric[];
}

interface Point {
  readonly attributes?: readonly { key: string; value: { stringValue: string } }[];
  readonly startTimeUnixNano?: string;
  readonly timeUnixNano: string;
  readonly asDouble: number;
  readonly count: string;
  readonly sum: number;
  readonly bucketCounts: readonly string[];
  readonly explicitBounds: readonly number[];
}

interface Metric {
  readonly name: string;
  readonly unit?: string;
  readonly gauge?: { readonly dataPoints: readonly Point[] };
  readonly sum?: { aggregationTemporality: number; isMonotonic: boolean; dataPoints: readonly Point[] };
  readonly histogram?: { readonly aggregationTemporality: number; readonly dataPoints: readonly Point[] };
}

/** The samples that Prometheus makes of a metric, by its own rules for histograms. */
function samplesOfMetric({ name, gauge, sum, histogram }: Metric): [string, number][] {
  const series = (suffix: string, { attributes = [] }: Point, le?: string) => {
    const labels = attributes.map(({ key, value }) => `${key}="${value.stringValue}"`);
    const all = le === undefined ? labels : [...labels, `le="${le}"`];
    return `${name}${suffix}${all.length === 0 ? "" : `{${all.join(",")}}`}`;
  };
  const numbers = [...(gauge?.dataPoints ?? []), ...(sum?.dataPoints ?? [])];
  const buckets = (point: Point): [string, number][] => {
    let count = 0;
    return point.bucketCounts.map((inBucket, index) => {
      count += Number(inBucket);
      return [series("_bucket", point, String(point.explicitBounds[index] ?? "+Inf")), count];
    });
  };
  return [
    ...numbers.map((point): [string, number] => [series("", point), point.asDouble]),
    ...(histogram?.dataPoints ?? []).flatMap((point): [string, number][] => [
      ...buckets(point),
      [series("_sum", point), point.sum],
      [series("_count", point), Number(point.count)],
    ]),
  ];
}

describe("the metrics of a moment as OTLP", () => {
  it("are of the protocol, and have each value of the answer to Prometheus, no more and no less", () => {
    const exposition = createExposition();
    write(exposition);
    const scraped = [...samplesOf(exposition.text())];
    assert.ok(scraped.length > 100, String(scraped.length));
    assert.deepEqual(sent().flatMap(samplesOfMetric).sort(), scraped.sort());
  });

  it("count from the start of the process, unless they are gauges", () => {
    const byName = new Map(sent().map((metric) => [metric.name, metric]));
    const cpu = byName.get("process_cpu_seconds_total")?.sum;
    assert.deepEqual([cpu?.aggregationTemporality, cpu?.isMonotonic], [2, true]);
    // 2026-11-27T10:00:00Z and five minutes later, by `date -d`.
    assert.equal(cpu?.dataPoints[0]?.startTimeUnixNano, "1795773600000000000");
    assert.equal(cpu?.dataPoints[0]?.timeUnixNano, "1795773900000000000");
    const offset = byName.get("steward_clock_offset_seconds")?.gauge?.dataPoints[0];
    assert.deepEqual([offset?.startTimeUnixNano, offset?.asDouble], [undefined, -0.0025]);
    const delay = byName.get("steward_event_loop_delay_seconds")?.histogram;
    assert.equal(delay?.aggregationTemporality, 2);
    assert.deepEqual(delay?.dataPoints[0]?.bucketCounts, ["1", "2", "0", "1"]);
    assert.deepEqual(delay?.dataPoints[0]?.explicitBounds, [0.005, 0.1, 1]);
  });

  it("have the units of their names, and no others", () => {
    const units = new Map(sent().map(({ name, unit }) => [name, unit]));
    assert.equal(units.get("steward_clock_offset_seconds"), "s");
    assert.equal(units.get("process_cpu_seconds_total"), "s");
    assert.equal(units.get("steward_host_memory_bytes"), "By");
    assert.equal(units.get("steward_events_total"), undefined);
  });
});
