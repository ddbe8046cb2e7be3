import type { AuditEvent } from "../../contract/types.ts";
import { isIntact } from "./event-chain.ts";
import { readSegment, type Segment } from "./event-segments.ts";

/**
 * The newest events of one log in memory: a page of them is what dashboards and the status ask for again and again, and
 * to read, parse and prove half a megabyte for it takes milliseconds. Empty until the first page is asked for.
 */
export interface RecentEvents {
  /** Told what was written to the files, which `segments` are. */
  add(events: readonly AuditEvent[]): void;
  /** Reads them from the files, the first time. */
  load(): Promise<void>;
  /** As of now. */
  read(): Recent;
}

/** All events of a log from `from` on, oldest first. */
export interface Recent {
  readonly events: readonly AuditEvent[];
  /** Infinite: none is known. */
  readonly from: number;
}

/** The longest page, and one more, which says that there is another page. */
const mostEvents = 201;

const none: Recent = { events: [], from: Number.POSITIVE_INFINITY };

/** `segments`: of the log, oldest first; they grow and are dropped meanwhile. */
export function createRecentEvents(segments: readonly Segment[]): RecentEvents {
  /** Undefined: they were not read yet. */
  let known: Recent | undefined;
  let loading: Promise<void> | undefined;
  /** Written while the first reading is under way, which may have missed them. */
  let meanwhile: Recent = none;
  const load = async (): Promise<void> => {
    const found = await newestOf(segments);
    const older = found.events.filter(({ seq }) => seq < meanwhile.from);
    known = newest({ events: [...older, ...meanwhile.events], from: Math.min(found.from, meanwhile.from) });
    meanwhile = none;
  };
  return {
    add: (events) => {
      // An agent whose events are not asked for keeps none of them.
      if (loading === undefined) return;
      if (known === undefined) meanwhile = extended(meanwhile, events);
      else known = extended(known, events);
    },
    load: () => {
      loading ??= load();
      return loading;
    },
    read: () => {
      const present = known ?? none;
      // What was dropped from the files since is not in the log any more.
      const from = Math.max(present.from, segments[0]?.firstSeq ?? 0);
      if (from === present.from) return present;
      return { from, events: present.events.filter(({ seq }) => seq >= from) };
    },
  };
}

function extended({ events, from }: Recent, added: readonly AuditEvent[]): Recent {
  return newest({ events: [...events, ...added], from: Math.min(from, added[0]?.seq ?? from) });
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
