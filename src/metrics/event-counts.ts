import { errorCodes } from "../contract/error-codes.ts";
import { type EventType, eventTypes } from "../contract/event-types.ts";
import { operationIds, operationOf } from "../contract/operations.ts";
import type { Exposition } from "./exposition.ts";

/** Counts events and sign-in attempts since the agent's start. */
export interface EventCounts {
  recorded(type: EventType): void;
  /** `operation` and `code`: the refused operation, and the reason. */
  refused(type: EventType, operation: unknown, code: string): void;
  writeTo(exposition: Exposition): void;
}

/**
 * The operations that end in a session. Other operations are refused under the same type of event: a step-up, a
 * refresh.
 */
const signIns = operationIds.filter((id) => operationOf(id).event === "sign_in.succeeded");

export function createEventCounts(): EventCounts {
  const types = new Map((Object.keys(eventTypes) as EventType[]).map((type) => [type, 0]));
  const outcomes = new Map(["succeeded", ...refusalCodes()].map((outcome) => [outcome, 0]));
  const add = <Key>(counts: Map<Key, number>, key: Key): void => {
    counts.set(key, (counts.get(key) ?? 0) + 1);
  };
  return {
    recorded: (type) => {
      add(types, type);
      if (type === "sign_in.succeeded") add(outcomes, "succeeded");
    },
    refused: (type, operation, code) => {
      add(types, type);
      if (type === "sign_in.refused" && signIns.some((id) => id === operation)) add(outcomes, code);
    },
    // Events that have not happened are written too: Prometheus' increase() misses the first one of a new series.
    writeTo: (exposition) => {
      for (const [outcome, count] of outcomes) exposition.add("steward_sign_ins_total", count, { outcome });
      for (const [type, count] of types) exposition.add("steward_events_total", count, { type });
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
