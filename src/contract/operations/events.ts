import * as events from "../schemas/events.ts";
import type { Operation } from "./operation.ts";

const readers = { roles: ["admin", "operator"] } as const;

const reading = { method: "GET", access: readers, scope: "events:read" } as const;

export const eventOperations = {
  listEvents: {
    ...reading,
    path: "/api/events",
    summary: "List events, newest first; operators see only those security events that concern themselves",
    description:
      "All logs (changes, refusals, the product's reports) in one sequence; each is a chain of hashes. To follow without a gap, ask with `after` set to the last `seq` that was read.",
    query: events.listEventsQuery,
    response: { status: 200, schema: events.eventList },
  },
  countEvents: {
    ...reading,
    path: "/api/events/counts",
    summary: "Count events by group and between times; operators as in the list",
    description:
      "For a picture of the record: the filters as in the list, and the edges of a histogram's bars. Repeats that one event stands for count once.",
    query: events.countEventsQuery,
    response: { status: 200, schema: events.eventCounts },
  },
  streamEvents: {
    ...reading,
    path: "/api/events/stream",
    summary:
      "Events as they happen, from Last-Event-ID or `after` on; a `gap` message first when events are missing; `progress` of an update, which has no id and is not stored",
    description:
      "An event stream (text/event-stream); `contentSchema` is the schema of each message's data. Read it with fetch and the Authorization header. A comment every 15 seconds is a sign of life. It ends with its session or token; continue with Last-Event-ID.",
    query: events.streamEventsQuery,
    response: { status: 200, schema: events.streamedEvent, stream: true },
  },
} as const satisfies Record<string, Operation>;
