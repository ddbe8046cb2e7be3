import * as events from "../schemas/events.ts";
import type { Operation } from "./operation.ts";

const readers = { roles: ["admin", "operator"] } as const;

/** What happened: changes and refusals. */
export const eventOperations = {
  listEvents: {
    method: "GET",
    path: "/api/events",
    summary: "What happened, newest first; operators see only those security events that concern themselves",
    access: readers,
    scope: "events:read",
    query: events.listEventsQuery,
    response: { status: 200, schema: events.eventList },
  },
  streamEvents: {
    method: "GET",
    path: "/api/events/stream",
    summary:
      "Events as they happen, from Last-Event-ID or `after` on; a `gap` message first when events are missing; `progress` of an update, which has no id and is not stored",
    access: readers,
    scope: "events:read",
    query: events.streamEventsQuery,
    response: { status: 200, schema: events.streamedEvent, stream: true },
  },
} as const satisfies Record<string, Operation>;
