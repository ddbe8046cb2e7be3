import { type OperationId, operationOf } from "../contract/operations.ts";
import type { Exposition } from "./exposition.ts";
import { createHistogram, type Histogram } from "./histogram.ts";

/** What a request was about: an operation, a file of the console, or nothing that there is. */
export type CountedRoute = OperationId | "console" | "none";

/** Answers by route and status, and how long they took. What a stranger sends makes no further series. */
export interface RequestCounts {
  /** After each answer: it has to cost next to nothing. */
  add(route: CountedRoute, status: number, seconds: number): void;
  writeTo(exposition: Exposition): void;
}

/** Seconds: from a read out of memory, over a password's hash, to a download's first byte. */
const bounds = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10] as const;

interface RouteCounts {
  readonly byStatus: Map<number, number>;
  readonly durations: Histogram;
}

export function createRequestCounts(): RequestCounts {
  const routes = new Map<CountedRoute, RouteCounts>();
  return {
    add: (route, status, seconds) => {
      let counts = routes.get(route);
      if (counts === undefined) {
        counts = { byStatus: new Map(), durations: createHistogram(bounds) };
        routes.set(route, counts);
      }
      counts.byStatus.set(status, (counts.byStatus.get(status) ?? 0) + 1);
      counts.durations.observe(seconds);
    },
    writeTo: (exposition) => {
      for (const [route, { byStatus, durations }] of routes) {
        const labels = labelsOf(route);
        for (const [status, count] of byStatus) {
          exposition.add("steward_http_requests_total", count, { ...labels, status: String(status) });
        }
        exposition.addHistogram("steward_http_request_duration_seconds", durations.read(), labels);
      }
    },
  };
}

/** Of the contract alone: a method or path of the request would be the stranger's choice. */
function labelsOf(route: CountedRoute): { method: string; route: string } {
  if (route === "none") return { method: "", route };
  if (route === "console") return { method: "GET", route };
  const { method, path } = operationOf(route);
  return { method, route: path };
}
