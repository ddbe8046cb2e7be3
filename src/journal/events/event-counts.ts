import { type EventGroup, eventGroups, groupOf } from "../../contract/event-records.ts";
import type { AuditEvent, EventCounts } from "../../contract/types.ts";
import { countAll, createMatch, type EventFilter, type EventSource, keyOf } from "./event-pages.ts";
import type { Counts } from "./event-segments.ts";

/** Which events are counted, and where one span of time ends and the next begins. */
export interface EventCountQuery extends EventFilter {
  /** Seconds since the epoch, rising. */
  edges: readonly number[];
}

const groups = Object.keys(eventGroups) as EventGroup[];

/** Counts the events that match, and those that another choice of group, type or outcome would show. */
export async function countEvents(source: EventSource, query: EventCountQuery): Promise<EventCounts> {
  const key = `${keyOf(query)} ${query.edges.join()}`;
  const [total = 0, refused = 0, ...others] = await countAll(source, key, countBy(query));
  const ofSpans = others.slice(groups.length);
  return {
    ...{ total, refused },
    groups: Object.fromEntries(groups.map((group, index) => [group, others[index] ?? 0])),
    spans: Array.from({ length: query.edges.length + 1 }, (_, index) => ({
      count: ofSpans[2 * index] ?? 0,
      refused: ofSpans[2 * index + 1] ?? 0,
    })),
  };
}

/** Counts in this order: all, refused ones, those of each group, and for each span all and refused ones. */
function countBy(query: EventCountQuery): (events: readonly AuditEvent[]) => Counts {
  const { type, group, outcome, edges, ...filter } = query;
  const matches = createMatch(filter);
  const isOfType = createMatch({ type, group });
  const hasOutcome = createMatch({ outcome });
  return (events) => {
    const counts = new Array<number>(2 + groups.length + 2 * (edges.length + 1)).fill(0);
    const add = (place: number): void => {
      counts[place] = (counts[place] ?? 0) + 1;
    };
    for (const event of events.filter(matches)) {
      const isRefused = event.outcome === "refused";
      const ofGroup = groupOf(event.type);
      if (hasOutcome(event) && ofGroup !== null) add(2 + groups.indexOf(ofGroup));
      if (!isOfType(event)) continue;
      if (isRefused) add(1);
      if (!hasOutcome(event)) continue;
      const span = 2 + groups.length + 2 * spanOf(event, edges);
      add(0);
      add(span);
      if (isRefused) add(span + 1);
    }
    return counts;
  };
}

/** The number of edges up to the event. */
function spanOf({ time }: AuditEvent, edges: readonly number[]): number {
  const seconds = Date.parse(time) / 1_000;
  const next = edges.findIndex((edge) => edge > seconds);
  return next < 0 ? edges.length : next;
}
