import { type EventType, eventTypes } from "../../contract/event-types.ts";
import { refusalOf } from "../../contract/operations/refusals.ts";
import { operationIds, operationOf } from "../../contract/operations.ts";
import type { MetricSink } from "./exposition.ts";

/** Counts events and sign-in attempts since the agent's start. */
export function createEventCounts() {
  const types = countsOf(Object.keys(eventTypes), (type) => ({ type }));
  const outcomes = countsOf(["succeeded", ...refusalCodes()], (outcome) => ({ outcome }));
  return {
    recorded: (type: EventType, count = 1): void => {
      types.add(type, count);
      if (type === "sign_in.succeeded") outcomes.add("succeeded");
    },
    refused: (type: EventType, code: string): void => {
      types.add(type);
      if (type === "sign_in.refused") outcomes.add(code);
    },
    // Events that have not happened are written too: Prometheus' increase() misses the first one of a new series.
    writeTo: (sink: MetricSink): void => {
      sink.addCounts("steward_sign_ins_total", outcomes.all);
      sink.addCounts("steward_events_total", types.all);
    },
  };
}

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
    add: (key: string, count = 1): void => {
      const one = byKey.get(key) ?? begin(key);
      one.count += count;
    },
  };
}

/** `totp_required`: the second step never came (accounts/sign-in/challenges.ts). */
function refusalCodes(): ReadonlySet<string> {
  const refused = operationIds.flatMap((id) => {
    const operation = operationOf(id);
    return (operation.errors ?? []).filter((code) => refusalOf(operation, code) === "sign_in.refused");
  });
  return new Set(["totp_required", ...refused]);
}
