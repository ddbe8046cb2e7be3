import { StewardError } from "../../contract/errors.ts";
import type { UpdateProgress } from "../../contract/types.ts";
import type { EventLog } from "../../journal/events/event-log.ts";
import { createMatch, type EventFilter, placeOf } from "../../journal/events/event-pages.ts";
import { type Actor, type Handlers, roleOf, type StreamMessage, type StreamSource } from "../call.ts";

type EventHandlers = Pick<Handlers, "listEvents" | "streamEvents">;

/** Events read from the files in one go while a stream catches up. */
const pageSize = 200;

/** Hears how far an update is; the result ends it. */
export type SubscribeProgress = (listener: (progress: UpdateProgress) => void) => () => void;

/** What happened, as each may see it, and beside it how far an update is. */
export function createEventHandlers(events: EventLog, subscribeProgress: SubscribeProgress): EventHandlers {
  return {
    listEvents: ({ query, actor }) =>
      events.list({
        ...(query.cursor === undefined ? { after: query.after } : placeOf(query.cursor)),
        limit: query.limit ?? 50,
        type: query.type,
        personId: personOf(actor),
      }),
    streamEvents: ({ query, actor, lastEventId }) => {
      const after = lastEventId === undefined ? query?.after : seqOf(lastEventId);
      const source = eventStream(events, { type: query?.type, personId: personOf(actor) }, after);
      // Whoever asks for one type of event asks for nothing else.
      return query?.type === undefined ? withProgress(source, subscribeProgress) : source;
    },
  };
}

/** Whoever sees, of security events, only his own; undefined for administrators. */
function personOf(actor: Actor): string | undefined {
  if (roleOf(actor) === "admin") return undefined;
  return actor.kind === "user" || actor.kind === "token" ? actor.account.id : "";
}

function seqOf(lastEventId: string): number {
  if (/^\d{1,15}$/.test(lastEventId)) return Number(lastEventId);
  throw new StewardError("validation_failed", "Last-Event-ID must be the id of an event: digits alone.");
}

/** What is past, page by page as the client takes it, and then each event as it happens. */
function eventStream(events: EventLog, filter: EventFilter, after: number | undefined): StreamSource {
  return (send, end, drained) => {
    const matches = createMatch(filter);
    let isLive = after === undefined;
    let isOver = false;
    const unsubscribe = events.subscribe((event) => {
      if (isLive && matches(event)) send(messageOf(event));
    });
    const catchUp = async (begin: number): Promise<void> => {
      let last = await sendGap(events, begin, send);
      while (!isLive && !isOver) {
        const head = events.head();
        const { items, next_cursor } = await events.list({ ...filter, after: last, limit: pageSize });
        if (!isOver) for (const event of items) send(messageOf(event));
        last = next_cursor === null ? head : Number(next_cursor);
        await drained();
        // Nothing has happened since the last page was read, so nothing is missed by listening from now on.
        isLive = next_cursor === null && events.head() === head;
      }
    };
    if (after !== undefined) catchUp(after).catch(end);
    return () => {
      isOver = true;
      unsubscribe();
    };
  };
}

/** Progress is of the moment: it has no id, and nobody who comes back is told of it again. */
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

/** Says what is missing behind `after`, and returns where to begin. */
async function sendGap(
  events: EventLog,
  after: number,
  send: (message: StreamMessage) => void,
): Promise<number> {
  const head = events.head();
  const first = await events.firstComplete();
  // A number that was never given is of a log that is no more.
  const missing = after > head ? head + 1 : first;
  if (after <= head && after + 1 >= first) return after;
  send({ event: "gap", data: { first_available: missing } });
  return Math.min(after, head);
}

function messageOf(event: { seq: number }): StreamMessage {
  return { id: String(event.seq), event: "event", data: event };
}
