import { groupOf } from "../../contract/event-records.ts";
import { type EventType, eventTypes } from "../../contract/event-types.ts";
import type { AuditEvent, EventList } from "../../contract/types.ts";
import { foreignCursor } from "../../store/documents/pages.ts";
import { isIntact } from "./event-chain.ts";
import { type Counts, readSegment, type Segment } from "./event-segments.ts";
import type { Recent } from "./recent-events.ts";

export interface EventFilter {
  type?: string | undefined;
  group?: string | undefined;
  actor_kind?: string | undefined;
  /** A part of the name of the actor or the subject, or the id of one. */
  name?: string | undefined;
  outcome?: string | undefined;
  sinceMilliseconds?: number | undefined;
  untilMilliseconds?: number | undefined;
  /** For readers who see operations, and only those security events that they caused or that concern them. */
  personId?: string | undefined;
}

export interface EventQuery extends EventFilter, EventPlace {
  limit: number;
}

/** The beginning of a page: after a seq, the oldest first; or before one, the newest first; neither: at the newest. */
interface EventPlace {
  after?: number | undefined;
  before?: number | undefined;
}

/** The place in a page's cursor at which the next page begins; a seq is `after` too. Throws `invalid_cursor`. */
export function placeOf(cursor: string): EventPlace {
  const [, isBefore, digits] = /^(before-)?(\d{1,15})$/.exec(cursor) ?? [];
  if (digits === undefined) throw foreignCursor();
  return isBefore === undefined ? { after: Number(digits) } : { before: Number(digits) };
}

export interface EventSource {
  logs: readonly LogSource[];
  /** Events that are not on the disk yet. */
  waiting: readonly AuditEvent[];
  /** The newest seq. Later events are ignored, or a page could have one event and lack the one before. */
  head: number;
}

interface LogSource {
  /** Oldest first. */
  readonly segments: readonly Segment[];
  /** Events in memory, which need not be read from the files. */
  readonly recent: Recent;
}

/** Keys whose counts are cached with a segment. */
const rememberedCounts = 32;

/** A page of events from memory as far as that goes, else from files, as always from the oldest: chains are verified. */
export async function readPage(source: EventSource, query: EventQuery): Promise<Omit<EventList, "reach">> {
  const matches = createMatch(query);
  const { after, before = source.head + 1, limit } = query;
  const isMeant = (event: AuditEvent) =>
    event.seq <= source.head &&
    (after === undefined ? event.seq < before : event.seq > after) &&
    matches(event);
  const bySeq = new Map<number, AuditEvent>();
  for (const event of source.waiting.filter(isMeant)) bySeq.set(event.seq, event);
  for (const log of source.logs) {
    const found = await (after === undefined
      ? newest(log, before, isMeant, limit + 1)
      : oldest(behind(log.segments, after), isMeant, limit + 1));
    for (const event of found) bySeq.set(event.seq, event);
  }
  const all = [...bySeq.values()].sort((a, b) => (after === undefined ? b.seq - a.seq : a.seq - b.seq));
  const items = all.slice(0, limit);
  const last = items.at(-1);
  const hasMore = last !== undefined && all.length > limit;
  return {
    items,
    total: (await countAll(source, keyOf(query), (events) => [events.filter(matches).length]))[0] ?? 0,
    next_cursor: hasMore ? `${after === undefined ? "before-" : ""}${last.seq}` : null,
  };
}

export function createMatch(filter: EventFilter): (event: AuditEvent) => boolean {
  const { type, group, actor_kind, outcome, personId } = filter;
  const hasName = createNameMatch(filter.name);
  const isInTime = createTimeMatch(filter);
  return (event) => {
    if (type !== undefined && event.type !== type) return false;
    if (group !== undefined && groupOf(event.type) !== group) return false;
    if (actor_kind !== undefined && event.actor.kind !== actor_kind) return false;
    if (outcome !== undefined && event.outcome !== outcome) return false;
    if (!hasName(event) || !isInTime(event)) return false;
    if (personId === undefined || event.actor.id === personId || event.subject?.id === personId) return true;
    // Only administrators see a type that this version does not know.
    return eventTypes[event.type as EventType]?.audience === "operations";
  };
}

function createNameMatch(name: string | undefined): Match {
  const part = name?.toLowerCase();
  if (part === undefined) return () => true;
  return ({ actor, subject }) =>
    [actor, subject].some((one) => one?.id === name || one?.name?.toLowerCase().includes(part));
}

function createTimeMatch({ sinceMilliseconds, untilMilliseconds }: EventFilter): Match {
  if (sinceMilliseconds === undefined && untilMilliseconds === undefined) return () => true;
  const { NEGATIVE_INFINITY, POSITIVE_INFINITY } = Number;
  return ({ time }) => {
    const at = Date.parse(time);
    return at >= (sinceMilliseconds ?? NEGATIVE_INFINITY) && at <= (untilMilliseconds ?? POSITIVE_INFINITY);
  };
}

type Match = (event: AuditEvent) => boolean;

async function oldest(segments: readonly Segment[], isMeant: Match, limit: number): Promise<AuditEvent[]> {
  const found: AuditEvent[] = [];
  for (const segment of segments) {
    for (const event of await readSegment(segment)) {
      if (found.length === limit) return found;
      if (isMeant(event) && isIntact(event)) found.push(event);
    }
  }
  return found;
}

async function newest(
  { segments, recent }: LogSource,
  before: number,
  isMeant: Match,
  limit: number,
): Promise<AuditEvent[]> {
  const found: AuditEvent[] = [];
  for (let index = recent.events.length - 1; index >= 0 && found.length < limit; index -= 1) {
    const event = recent.events[index];
    if (event !== undefined && isMeant(event)) found.push(event);
  }
  const end = Math.min(before, recent.from);
  for (const segment of segments.filter(({ firstSeq }) => firstSeq < end).toReversed()) {
    if (found.length === limit) return found;
    for (const event of (await readSegment(segment)).reverse()) {
      if (found.length === limit) return found;
      if (event.seq < recent.from && isMeant(event) && isIntact(event)) found.push(event);
    }
  }
  return found;
}

/** The segments that may hold events after this one. */
function behind(segments: readonly Segment[], after: number): readonly Segment[] {
  return segments.filter((_, index) => {
    const next = segments[index + 1];
    return next === undefined || next.firstSeq > after + 1;
  });
}

/** Tells filters apart whose counts are cached. */
export function keyOf(filter: EventFilter): string {
  const { type, group, actor_kind, name, outcome, sinceMilliseconds, untilMilliseconds, personId } = filter;
  return JSON.stringify([
    ...[type, group, actor_kind, name, outcome],
    ...[sinceMilliseconds, untilMilliseconds, personId],
  ]);
}

/** Adds up the counts of all events. `count` always gives as many numbers; `key` tells it from all other counts. */
export async function countAll(
  { logs, waiting }: EventSource,
  key: string,
  count: (events: readonly AuditEvent[]) => Counts,
): Promise<Counts> {
  let total = count(waiting);
  for (const { segments, recent } of logs)
    for (const [index, segment] of segments.entries()) {
      const next = segments[index + 1]?.firstSeq;
      total = sumOf(total, await countIn(segment, key, count, recent, next));
    }
  return total;
}

/** `next`: the first seq of the next segment; undefined: this is the last. */
async function countIn(
  segment: Segment,
  key: string,
  count: (events: readonly AuditEvent[]) => Counts,
  recent: Recent,
  next = Number.POSITIVE_INFINITY,
): Promise<Counts> {
  const { counts: cached, sizeBytes, firstSeq } = segment;
  const known = cached.get(key);
  if (known?.sizeBytes === sizeBytes) return known.counts;
  const begin = known?.nextSeq ?? firstSeq;
  // A dashboard reads between the events: events since then are in memory.
  const isRecent = recent.from <= begin;
  const events = isRecent
    ? recent.events.filter(({ seq }) => seq >= begin && seq < next)
    : await readSegment(segment);
  const counts = isRecent && known ? sumOf(known.counts, count(events)) : count(events);
  if (cached.size >= rememberedCounts) cached.clear();
  cached.set(key, { sizeBytes, counts, nextSeq: (events.at(-1)?.seq ?? begin - 1) + 1 });
  return counts;
}

function sumOf(one: Counts, other: Counts): Counts {
  return one.map((number, index) => number + (other[index] ?? 0));
}
