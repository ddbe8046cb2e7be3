import type { AuditEvent, EventList } from "../contract/types.ts";
import type { EventLog } from "../journal/events/event-log.ts";
import type { Position } from "./cursors.ts";
import { isTaken, levelOf, type Takes } from "./notices.ts";
import type { Message } from "./receiver.ts";

export interface EventQueue extends Pick<EventLog, "subscribe" | "head"> {
  list(query: { after: number; limit: number }): Promise<Pick<EventList, "items" | "next_cursor">>;
}

export interface Batch extends Pick<Message, "count" | "counts" | "gap"> {
  /** The events that it names, in the order of seq. */
  readonly events: readonly AuditEvent[];
  readonly first: number;
  readonly last: number;
  /** One of them does not wait. */
  readonly isGrave: boolean;
  /** The last place before the first event, and that of the last one. */
  readonly before: Position;
  readonly end: Position;
}

interface BatchQuery {
  readonly takes: Takes;
  /** Everything up to here is done. */
  readonly from: Position;
  /** The last seq of the batch; null: the newest. */
  readonly last: number | null;
  /** Events of a message of the record; 200 at most. */
  readonly most?: number;
}

/** Notices of a message; a storm has more events. */
const mostNotices = 20;

/** Events of a message of the record. */
export const mostOfRecord = 200;

const pageLimit = 200;

export async function readBatch(events: EventQueue, query: BatchQuery) {
  const head = events.head();
  const reader = new BatchReader(query);
  let after = query.from.seq;
  while (after < head && !reader.isFull()) {
    const { items, next_cursor } = await events.list({ after, limit: pageLimit });
    // Events after it have no lasting number yet.
    for (const event of items) if (event.seq <= head) reader.add(event);
    after = items.at(-1)?.seq ?? head;
    if (next_cursor === null) break;
  }
  return reader.found(head);
}

class BatchReader {
  readonly #query: BatchQuery;
  readonly #chain: ReturnType<typeof createChain>;
  /** In a storm only the most important. */
  #taken: AuditEvent[] = [];
  #idle: Position;
  #waiting = 0;
  #sum: Omit<Batch, "events"> | null = null;

  constructor(query: BatchQuery) {
    this.#query = query;
    this.#chain = createChain(query);
    this.#idle = query.from;
  }

  isFull(): boolean {
    const { takes, most = mostOfRecord } = this.#query;
    return takes === "record" && this.#sum?.count === most;
  }

  add(event: AuditEvent): void {
    if (this.isFull()) return;
    const { takes, last } = this.#query;
    this.#chain.add(event);
    if (isTaken(takes, event)) {
      this.#waiting += 1;
      if (event.seq <= (last ?? event.seq)) this.#take(event);
    } else if (this.#waiting === 0 && this.#chain.gap() === null) this.#idle = this.#chain.position();
  }

  found(head: number) {
    const [isRecord, sum] = [this.#query.takes === "record", this.#sum];
    return {
      /** null: the receiver takes none of the events. */
      batch: sum && { ...sum, events: isRecord ? this.#taken : mostImportant(this.#taken) },
      /** The receiver's events behind `from`, also those that are not in the batch. */
      waiting: isRecord ? head - this.#query.from.seq : this.#waiting,
      /** The last place up to which nothing is waiting and nothing is missing. */
      idle: this.#idle,
    };
  }

  #take(event: AuditEvent): void {
    const sum = this.#sum;
    const counts: Batch["counts"] = sum?.counts ?? {};
    this.#sum = {
      ...{ first: sum?.first ?? event.seq, before: sum?.before ?? this.#idle },
      ...{ last: event.seq, end: this.#chain.position(), gap: this.#chain.gap() },
      count: (sum?.count ?? 0) + 1,
      counts: { ...counts, [event.type]: (counts[event.type] ?? 0) + 1 },
      isGrave: sum?.isGrave || levelOf(event) === "grave",
    };
    this.#taken.push(event);
    if (this.#taken.length > mostOfRecord) this.#taken = [...mostImportant(this.#taken)];
  }
}

/** Follows events' numbers and hashes in order, and finds those that are missing (docs/design/outbox.md, rule 4). */
function createChain({ takes, from }: BatchQuery) {
  let { seq, change_hash } = from;
  let lastChange = seq;
  let gap: Message["gap"] = null;
  return {
    add: ({ seq: next, log, previous_hash, hash }: AuditEvent): void => {
      const isChange = log === "changes";
      // Refusals are dropped sooner than changes and are of interest only to the record. Both share the numbers, so that
      // only the chain shows whether a missing number was a change.
      const isKnown = takes !== "record" && change_hash !== null;
      const isMissing = isKnown ? isChange && previous_hash !== change_hash : next > seq + 1;
      if (isMissing) gap = { from: gap?.from ?? (isKnown ? lastChange : seq) + 1, to: next - 1 };
      seq = next;
      if (isChange) [change_hash, lastChange] = [hash, next];
    },
    position: (): Position => ({ seq, change_hash }),
    gap: () => gap,
  };
}

/** The gravest and newest, in the order of seq; those of the product come last. */
function mostImportant(events: readonly AuditEvent[]): readonly AuditEvent[] {
  const rank = (event: AuditEvent) =>
    (event.actor.kind === "product" ? 2 : 0) + (levelOf(event) === "grave" ? 0 : 1);
  return events
    .toSorted((one, other) => rank(one) - rank(other) || other.seq - one.seq)
    .slice(0, mostNotices)
    .sort((one, other) => one.seq - other.seq);
}
