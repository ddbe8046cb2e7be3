import { StewardError } from "../../contract/errors.ts";
import type { eventOperations } from "../../contract/operations/events.ts";
import { operationOf } from "../../contract/operations.ts";
import { latestCount } from "../../contract/schemas/status.ts";
import type { AuditEvent, UpdateProgress } from "../../contract/types.ts";
import type { EventLog } from "../../journal/events/event-log.ts";
import { createMatch, type EventFilter, placeOf } from "../../journal/events/event-pages.ts";
import { isAuthorised } from "../authorise.ts";
import { type Actor, type HandlersOf, roleOf, type StreamMessage, type StreamSource } from "../call.ts";
import { momentOf } from "./logs.ts";

/** Events read from the files at once while a stream catches up. */
const pageSize = 200;

export type EventReader = Pick<EventLog, "list">;

type SubscribeProgress = (listener: (progress: UpdateProgress) => void) => () => void;

/** Lists and streams events, as far as the caller may see them; streams also have the progress of updates. */
export function createEventHandlers(
  events: EventLog,
  subscribeProgress: SubscribeProgress,
  now: () => Date,
): HandlersOf<typeof eventOperations> {
  return {
    listEvents: ({ query, actor }) => {
      const { after, cursor, limit = usualLimit, since, until, ...filter } = query;
      return events.list({
        ...filter,
        ...(cursor === undefined ? { after } : placeOf(cursor)),
        limit,
        sinceMilliseconds: momentOf("since", since, now()),
        untilMilliseconds: momentOf("until", until, now()),
        personId: personOf(actor),
      });
    },
    countEvents: ({ query, actor }) => {
      const { edges, since, until, ...filter } = query;
      return events.count({
        ...filter,
        edges: edgesOf(edges),
        sinceMilliseconds: momentOf("since", since, now()),
        untilMilliseconds: momentOf("until", until, now()),
        personId: personOf(actor),
      });
    },
    streamEvents: ({ query = {}, actor, lastEventId }) => {
      const { after, ...filter } = query;
      const begin = lastEventId === undefined ? after : seqOf(lastEventId);
      const source = eventStream(events, { ...filter, personId: personOf(actor) }, begin);
      // A client that asks for some events gets nothing else.
      return Object.keys(filter).length === 0 ? withProgress(source, subscribeProgress) : source;
    },
  };
}

/** The newest events that the caller may see; null: the caller may see none. */
export async function latestEvents(events: EventReader, actor: Actor): Promise<AuditEvent[] | null> {
  if (!isAuthorised(operationOf("listEvents"), actor)) return null;
  return (await events.list({ limit: latestCount, personId: personOf(actor) })).items;
}

/** The contract's default. */
const usualLimit = 50;

/** The user who sees only their own security events; undefined for administrators. */
function personOf(actor: Actor): string | undefined {
  if (roleOf(actor) === "admin") return undefined;
  return actor.kind === "user" || actor.kind === "token" ? actor.account.id : "";
}

/** Seconds since the epoch. Throws `validation_failed` unless they rise. */
function edgesOf(text: string | undefined): readonly number[] {
  const edges = text?.split(",").map(Number) ?? [];
  if (edges.every((edge, index) => index === 0 || edge > (edges[index - 1] ?? 0))) return edges;
  const detail = "must rise from one to the next";
  throw new StewardError("validation_failed", `The times of /edges ${detail}.`, {
    details: { errors: [{ pointer: "/edges", code: "order", detail }] },
  });
}

function seqOf(lastEventId: string): number {
  if (/^\d{1,15}$/.test(lastEventId)) return Number(lastEventId);
  throw new StewardError("validation_failed", "Last-Event-ID must be the id of an event: only digits.");
}

/** Sends past events, page by page as the client takes them, and then each new event. */
function eventStream(events: EventLog, filter: EventFilter, after: number | undefined): StreamSource {
  return (send, end, drained) => {
    const matches = createMatch(filter);
    let isLive = after === undefined;
    let isOver = false;
    const unsubscribe = events.subscribe((event, isRepeat) => {
      if (!isLive || !matches(event)) return;
      // Without an id: a client that reconnects continues after the newest event that it has.
      send(isRepeat ? { event: "event", data: event } : messageOf(event));
    });
    const catchUp = async (begin: number): Promise<void> => {
      let last = await sendGap(events, begin, send);
      while (!isLive && !isOver) {
        const head = events.head();
        const { items, next_cursor } = await events.list({ ...filter, after: last, limit: pageSize });
        // The subscription brings later ones when they are written.
        const heard = items.filter(({ seq }) => seq <= head);
        if (!isOver) for (const event of heard) send(messageOf(event));
        last = next_cursor === null ? head : Math.min(Number(next_cursor), head);
        await drained();
        // The subscription has brought none since the page was read: from here on this stream misses none.
        isLive = last === head && events.head() === head;
      }
    };
    if (after !== undefined) catchUp(after).catch(end);
    return () => {
      isOver = true;
      unsubscribe();
    };
  };
}

/** Progress has no id, and is not repeated to a client that reconnects. */
function withProgress(source: StreamSource, subscribeProgress: SubscribeProgress): StreamSource {
  return (send, end, drained) => {
    const stop = source(send, end, drained);
    const unsubscribe = subscribeProgress((data) => send({ event: "progress", data }));
    return () => {
      unsubscribe();
      stop();
    };
  };
}

/** Sends a message about dropped events after `after`, and returns where to begin. */
async function sendGap(
  events: EventLog,
  after: number,
  send: (message: StreamMessage) => void,
): Promise<number> {
  const head = events.head();
  const first = await events.firstComplete();
  // A number that was not given yet belongs to a log that no longer exists.
  const missing = after > head ? head + 1 : first;
  if (after <= head && after + 1 >= first) return after;
  send({ event: "gap", data: { first_available: missing } });
  return Math.min(after, head);
}

function messageOf(event: { seq: number }): StreamMessage {
  return { id: String(event.seq), event: "event", data: event };
}
