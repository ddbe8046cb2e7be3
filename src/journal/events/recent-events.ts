import type { AuditEvent } from "../../contract/types.ts";
import { lasting } from "../../store/documents/lasting.ts";
import { isIntact } from "./event-chain.ts";
import { readSegment, type Segment } from "./event-segments.ts";

/** The newest events of a log in memory, for dashboards that ask again and again. Empty until the first page. */
export type RecentEvents = ReturnType<typeof createRecentEvents>;

/** All events of a log from `from` on, oldest first; their JSON is made once. */
export interface Recent {
  readonly events: readonly AuditEvent[];
  /** Infinite: none is known. */
  readonly from: number;
}

/** The longest page, and one more event, which shows that there is another page. */
const mostEvents = 201;

const none: Recent = { events: [], from: Number.POSITIVE_INFINITY };

/** `segments` of the log, oldest first; they grow and are dropped meanwhile. */
export function createRecentEvents(segments: readonly Segment[]) {
  /** Undefined until they are read. */
  let known: Recent | undefined;
  let loading: Promise<void> | undefined;
  /** Events written during the first reading, which may have missed them. */
  let meanwhile: Recent = none;
  const load = async (): Promise<void> => {
    const found = await newestOf(segments);
    const older = found.events.filter(({ seq }) => seq < meanwhile.from);
    const events = [...older.map(lasting), ...meanwhile.events];
    known = newest({ events, from: Math.min(found.from, meanwhile.from) });
    meanwhile = none;
  };
  return {
    /** Call it with the events that were written to the files, which `segments` describe. */
    add: (events: readonly AuditEvent[]): void => {
      // An agent whose events are not asked for keeps none of them.
      if (loading === undefined) return;
      if (known === undefined) meanwhile = extended(meanwhile, events);
      else known = extended(known, events);
    },
    /** Reads them from the files, the first time. */
    load: (): Promise<void> => {
      loading ??= load();
      return loading;
    },
    read: (): Recent => {
      const present = known ?? none;
      // Events that were dropped from the files since are no longer in the log.
      const from = Math.max(present.from, segments[0]?.firstSeq ?? 0);
      if (from === present.from) return present;
      return { from, events: present.events.filter(({ seq }) => seq >= from) };
    },
  };
}

function extended({ events, from }: Recent, added: readonly AuditEvent[]): Recent {
  return newest({ events: [...events, ...added.map(lasting)], from: Math.min(from, added[0]?.seq ?? from) });
}

function newest(recent: Recent): Recent {
  const events = recent.events.slice(-mostEvents);
  return events.length < recent.events.length ? { events, from: events[0]?.seq ?? recent.from } : recent;
}

async function newestOf(segments: readonly Segment[]): Promise<Recent> {
  let found = none;
  for (const segment of segments.toReversed()) {
    const room = mostEvents - found.events.length;
    const all = await readSegment(segment);
    const events = [...all.slice(-room).filter(isIntact), ...found.events];
    if (all.length > room) return { events, from: all.at(-room)?.seq ?? found.from };
    found = { events, from: segment.firstSeq };
    if (all.length === room) break;
  }
  return found;
}
