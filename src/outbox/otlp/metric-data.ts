import { type MetricLabels, type MetricName, metricFamilies } from "../../contract/metrics.ts";
import type { MetricSink } from "../../figures/metrics/exposition.ts";
import type { HistogramReading } from "../../figures/metrics/histogram.ts";
import { attributesOf, nanoseconds, type Resource, resourceOf, scopeOf } from "./values.ts";

/** AggregationTemporality: values count from the start of the process. */
const cumulative = 2;

/** Nanoseconds since 1970: the start of the process, and the moment of the values. */
interface Times {
  readonly since: string;
  readonly now: string;
}

type Labelled = ReturnType<typeof labelled>;

interface Family {
  readonly numbers: (Labelled & { readonly asDouble: number })[];
  readonly histograms: (Labelled & ReturnType<typeof bucketsOf>)[];
}

/** Collects the values of one moment for a request to /v1/metrics. */
export function createMetricData() {
  const families = new Map<MetricName, Family>();
  const familyOf = (name: MetricName): Family => {
    const family = families.get(name) ?? { numbers: [], histograms: [] };
    families.set(name, family);
    return family;
  };
  const add = (name: MetricName, labels: Readonly<Record<string, string>>, asDouble: number): void =>
    void familyOf(name).numbers.push({ ...labelled(labels), asDouble });
  const sink: MetricSink = {
    add: (name, value, labels) => {
      if (value !== null) add(name, labels, value);
    },
    addCounts: (name, counts) => {
      for (const { labels, count } of counts) add(name, labels, count);
    },
    addStates: (name, label, all, present) => {
      const isPresent = (state: string) =>
        typeof present === "object" ? (present?.has(state) ?? false) : state === present;
      for (const state of all) add(name, { [label]: state }, isPresent(state) ? 1 : 0);
    },
    addHistogram: <Name extends MetricName>(
      name: Name,
      reading: HistogramReading,
      labels: MetricLabels<Name>,
    ) => void familyOf(name).histograms.push({ ...labelled(labels), ...bucketsOf(reading) }),
  };
  return {
    ...sink,
    /** The body of the request. `nowMilliseconds`: since 1970, by the clock that the process has started by. */
    request: (resource: Resource, nowMilliseconds: number) => {
      const [start] = families.get("process_start_time_seconds")?.numbers ?? [];
      const startMilliseconds = start === undefined ? nowMilliseconds : start.asDouble * 1_000;
      const times = { since: nanoseconds(startMilliseconds), now: nanoseconds(nowMilliseconds) };
      const metrics = [...families].map(([name, family]) => metricOf(name, family, times));
      const scopeMetrics = [{ scope: scopeOf(resource), metrics }];
      return { resourceMetrics: [{ resource: resourceOf(resource), scopeMetrics }] };
    },
  };
}

/** Most metrics have no labels, and an empty list says nothing. */
function labelled(labels: Readonly<Record<string, string>>) {
  const attributes = attributesOf(labels);
  return attributes.length === 0 ? {} : { attributes };
}

/** Prometheus counts the observations up to each bound, OTLP those between two; its last bucket has no bound. */
function bucketsOf({ cumulative: counts, sum }: HistogramReading) {
  const between = counts.map(({ count }, index) => count - (counts[index - 1]?.count ?? 0));
  return {
    count: String(counts.at(-1)?.count ?? 0),
    sum,
    bucketCounts: between.map(String),
    explicitBounds: counts.slice(0, -1).map(({ bound }) => bound),
  };
}

function metricOf(name: MetricName, { numbers, histograms }: Family, times: Times): object {
  const timeUnixNano = times.now;
  const since = { startTimeUnixNano: times.since, timeUnixNano };
  const { type } = metricFamilies[name];
  const unit = unitOf(name);
  const named = unit === null ? { name } : { name, unit };
  if (type === "gauge") {
    return { ...named, gauge: { dataPoints: numbers.map((point) => ({ ...point, timeUnixNano })) } };
  }
  const ofStart = { aggregationTemporality: cumulative };
  if (type === "histogram") {
    return {
      ...named,
      histogram: { ...ofStart, dataPoints: histograms.map((point) => ({ ...point, ...since })) },
    };
  }
  const dataPoints = numbers.map((point) => ({ ...point, ...since }));
  return { ...named, sum: { ...ofStart, isMonotonic: true, dataPoints } };
}

/** By UCUM, as the conventions have it. Receivers that add the unit to the name find it there already. */
function unitOf(name: MetricName): "s" | "By" | null {
  if (/_seconds(_total)?$/.test(name)) return "s";
  return /_bytes(_total)?$/.test(name) ? "By" : null;
}
