import type { MetricLabels } from "../../contract/metrics.ts";
import { groupOf } from "../../contract/operations/operation.ts";
import { type OperationId, operationOf } from "../../contract/operations.ts";
import type { Count, MetricSink } from "./exposition.ts";
import { createHistogram, type Histogram } from "./histogram.ts";

/** The target of a request: an operation, a file of the console, or nothing that exists. */
export type CountedRoute = OperationId | "console" | "none";

interface CountedAnswer {
  readonly route: CountedRoute;
  /** The method as the client sent it. */
  readonly method: string | undefined;
  readonly status: number;
  readonly seconds: number;
}

/** Seconds: from a read out of memory, over a password's hash, to a download's first byte. */
const bounds = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10] as const;

/** The methods of requests without a route: methods that a client invents are counted together. */
const knownMethods = ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"];

interface StatusCount extends Count<MetricLabels<"steward_http_requests_total">> {
  count: number;
}

interface RouteCounts {
  readonly method: string;
  readonly route: string;
  readonly byStatus: Map<number, StatusCount>;
  /** Each group of routes has one: one for each route would be most of an answer. */
  readonly durations: Histogram;
}

/** Counts answers by route and status, and their durations. A stranger's requests make few further series. */
export function createRequestCounts() {
  /** In the order of their first answers, so that the lines of a scrape keep their places. */
  const all: StatusCount[] = [];
  const routes = new Map<string, RouteCounts>();
  const durations = new Map<string, { labels: { group: string }; histogram: Histogram }>();
  const begin = (route: CountedRoute, method: string): RouteCounts => {
    const group = route === "console" || route === "none" ? route : groupOf(operationOf(route));
    const ofGroup = durations.get(group) ?? { labels: { group }, histogram: createHistogram(bounds) };
    durations.set(group, ofGroup);
    return { ...labelsOf(route, method), byStatus: new Map(), durations: ofGroup.histogram };
  };
  return {
    /** Call it after each answer: it must be very fast. */
    add: ({ route, method, status, seconds }: CountedAnswer): void => {
      const key = route === "none" ? (knownMethods.find((known) => known === method) ?? "other") : route;
      let counts = routes.get(key);
      if (counts === undefined) {
        counts = begin(route, key);
        routes.set(key, counts);
      }
      let ofStatus = counts.byStatus.get(status);
      if (ofStatus === undefined) {
        const { method, route } = counts;
        ofStatus = { labels: { method, route, status: String(status) }, count: 0 };
        counts.byStatus.set(status, ofStatus);
        all.push(ofStatus);
      }
      ofStatus.count += 1;
      counts.durations.observe(seconds);
    },
    writeTo: (sink: MetricSink): void => {
      sink.addCounts("steward_http_requests_total", all);
      for (const { labels, histogram } of durations.values())
        sink.addHistogram("steward_http_request_duration_seconds", histogram.read(), labels);
    },
  };
}

/**
 * Labels from the contract: a stranger chooses the path of the request. `method`: that of a request without a route.
 */
function labelsOf(route: CountedRoute, method: string): { method: string; route: string } {
  if (route === "none") return { method, route };
  if (route === "console") return { method: "GET", route };
  return { method: operationOf(route).method, route: operationOf(route).path };
}
