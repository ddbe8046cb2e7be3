import { moment } from "../durations.ts";
import { eventGroups, eventLogs } from "../event-records.ts";
import { eventTypes } from "../event-types.ts";
import { nullableTimestamp, partialObject, strictObject, timestamp } from "../shapes.ts";
import { listOf, pageOf } from "./lists.ts";
import { updateProgress } from "./updates.ts";

/** The place of an event among all others; all logs count in one sequence. */
const sequenceNumber = { type: "integer", minimum: 0, maximum: 999_999_999_999_999 } as const;
const sha256 = {
  type: "string",
  pattern: "^[0-9a-f]{64}$",
  "x-expected": "64 hexadecimal digits in lower case",
} as const;
const actorKind = {
  type: "string",
  enum: ["anonymous", "local-root", "user", "token", "agent", "product"],
} as const;
const outcome = { type: "string", enum: ["success", "refused"] } as const;
const nullableText = { type: ["string", "null"] } as const;

export const event = strictObject({
  seq: { ...sequenceNumber, description: "rises by one from event to event, also when the clock goes back" },
  time: { ...timestamp, description: "RFC 3339 in UTC with milliseconds, by the clock of that moment" },
  type: { type: "string", description: "what happened, such as `user.created`; later versions add types" },
  log: { type: "string", enum: eventLogs, description: "the chain that it belongs to" },
  outcome,
  code: { ...nullableText, description: "the error code of a refusal; null for a success" },
  count: { type: "integer", minimum: 1, description: "how many like this one the event stands for" },
  actor: strictObject({ kind: actorKind, id: nullableText, name: nullableText }),
  subject: {
    description: "the user or thing that the event is about; null: none",
    oneOf: [{ type: "null" }, strictObject({ id: { type: "string" }, name: { type: "string" } })],
  },
  from: { type: "string", description: "an address, or `local`" },
  request_id: nullableText,
  details: {
    type: "object",
    description: "facts that depend on the type, as docs/logs-and-events.md lists them; never a secret",
  },
  previous_hash: { ...sha256, description: "`hash` of the previous event in its log; zeros for the first" },
  hash: { ...sha256, description: "SHA-256 of this event without this member, as RFC 8785 writes it" },
});

/** The record of changes goes back so far. */
export const eventReach = strictObject({
  chain_from: {
    ...sequenceNumber,
    description:
      "the seq of the first change in the chain; older ones were kept when their part of it was dropped, so some between them may be gone",
  },
  complete_since: {
    ...nullableTimestamp,
    description: "the time of the newest change that is gone; null: none is",
  },
});

const pages = listOf(event, "newest first; with `after`, and on the pages that follow it, oldest first");

export const eventList = strictObject({
  ...pages.properties,
  reach: eventReach,
  total: {
    ...pages.properties.total,
    description: "matching events that are stored, wherever the page begins",
  },
});

const number = { type: "integer", minimum: 0 } as const;

export const eventCounts = strictObject({
  total: { ...number, description: "matching events that are stored" },
  refused: { ...number, description: "refusals among them, whatever `outcome` is" },
  groups: {
    type: "object",
    additionalProperties: { type: "integer" },
    description: "events of each group, whatever `group` and `type` are",
  },
  spans: {
    type: "array",
    description:
      "matching events before the first edge, from it on, and so on to those from the last edge on",
    items: strictObject({ count: number, refused: number }),
  },
});

/** The first message when events between the last one a client has and the first one stored are missing. */
export const gap = strictObject({
  first_available: { type: "integer", description: "from this seq on nothing is missing" },
});

export const streamedEvent = { oneOf: [event, gap, updateProgress] } as const;

const filters = {
  type: { type: "string", enum: Object.keys(eventTypes) },
  group: {
    type: "string",
    enum: Object.keys(eventGroups),
    description: "types that belong together, such as all about users",
  },
  actor_kind: { ...actorKind, description: "who did it" },
  name: {
    type: "string",
    minLength: 1,
    maxLength: 64,
    description:
      "id or part of the name of who did it, or of the user or thing that it is about; case is ignored",
  },
  outcome,
} as const;

const times = {
  since: { ...moment, description: `from this time on: ${moment.description}` },
  until: { ...moment, description: `up to this time: ${moment.description}` },
} as const;

export const listEventsQuery = partialObject({
  after: {
    ...sequenceNumber,
    description: "only events after this seq, oldest first; `cursor` takes precedence",
  },
  ...filters,
  ...times,
  ...pageOf(50),
});

export const countEventsQuery = partialObject({
  ...filters,
  ...times,
  edges: {
    type: "string",
    pattern: "^[0-9]{1,11}(,[0-9]{1,11}){0,63}$",
    description: "up to 64 Unix times in seconds, rising, separated by commas",
    "x-expected": "up to 64 rising Unix times in seconds, separated by commas",
  },
});

export const streamEventsQuery = partialObject({
  after: { ...sequenceNumber, description: "begin after this seq; absent: with the next event" },
  ...filters,
});

/** The names of these shapes in the OpenAPI document. */
export const eventShapes = () =>
  ({
    Event: event,
    EventList: eventList,
    EventCounts: eventCounts,
    EventReach: eventReach,
    EventType: listEventsQuery.properties.type,
    EventGap: gap,
    EventMessage: streamedEvent,
  }) as const;
