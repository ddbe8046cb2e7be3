import { errorCodes } from "../contract/error-codes.ts";
import { type EventType, eventTypes } from "../contract/event-types.ts";
import { operationIds, operationOf } from "../contract/operations.ts";
import type { MetricSink } from "./exposition.ts";

/**
 * The operations that end in a session. Other operations are refused under the same type of event: a step-up, a
 * refresh.
 */
const signIns = operationIds.filter((id) => operationOf(id).event === "sign_in.succeeded");

/** Counts events and sign-in attempts since the agent's start. */
export function createEventCounts() {
  const types = countsOf(Object.keys(eventTypes), (type) => ({ type }));
  const outcomes = countsOf(["succeeded", ...refusalCodes()], (outcome) => ({ outcome }));
  return {
    recorded: (type: EventType): void => {
      types.add(type);
      if (type === "sign_in.succeeded") outcomes.add("succeeded");
    },
    /** `operation` and `code`: the refused operation, and the reason. */
    refused: (type: EventType, operation: unknown, code: string): void => {
      types.add(type);
      if (type === "sign_in.refused" && signIns.some((id) => id === operation)) outcomes.add(code);
    },
    // Events that have not happened are written too: Prometheus' increase() misses the first one of a new series.
    writeTo: (sink: MetricSink): void => {
      sink.addCounts("steward_sign_ins_total", outcomes.all);
      sink.addCounts("steward_events_total", types.all);
    },
  };
}

/** Counts by key, each with the labels of its series. */
function countsOf<Labels>(keys: readonly string[], labelsOf: (key: string) => Labels) {
  const all: { readonly labels: Labels; count: number }[] = [];
  const byKey = new Map<string, { count: number }>();
  const begin = (key: string): { count: number } => {
    const one = { labels: labelsOf(key), count: 0 };
    all.push(one);
    byKey.set(key, one);
    return one;
  };
  for (const key of keys) begin(key);
  return {
    all,
    add: (key: string): void => {
      const one = byKey.get(key) ?? begin(key);
      one.count += 1;
    },
  };
}

/**
 * The errors that are recorded as refusals (http/request-events.ts); others say nothing about the client's identity.
 */
function refusalCodes(): readonly string[] {
  const codes = new Set(signIns.flatMap((id) => operationOf(id).errors ?? []));
  return [...codes].filter((code) => [401, 403, 429].includes(errorCodes[code].status));
}
