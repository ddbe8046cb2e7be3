import type { DocumentKind } from "../store/documents/document-kind.ts";
import { nullableObjectOf, objectOf } from "../store/validation/object-schema.ts";
import type { Delivery, Message } from "./receiver.ts";

/** A place in the record of events, which is the outbox's queue. */
export interface Position {
  /** Everything up to this seq is done. */
  readonly seq: number;
  /** The hash of the last change up to it, by which a gap behind it shows; null: unknown. */
  readonly change_hash: string | null;
}

export interface Cursor extends Position {
  readonly name: string;
  /** First and last seq of the tried message, written before: an agent that was killed repeats it under the same id. */
  readonly sending: { readonly first: number; readonly last: number } | null;
  readonly refused: Refused | null;
  /** The first and last seq of refused events that the next message names as its gap; null: none. */
  readonly untold: { readonly from: number; readonly to: number } | null;
}

/** The events that a receiver has refused until a test by a person shows them (docs/design/outbox.md, rule 10). */
export interface Refused extends Trouble {
  readonly events: number;
  /** The first and last seq of the messages that they were in. */
  readonly first: number;
  readonly last: number;
  /** RFC 3339, by the device's clock: of the first refusal; `time` and `detail` are of the last one. */
  readonly since: string;
}

export interface OutboxRecord {
  readonly receivers: readonly Cursor[];
}

const text = { type: "string" } as const;

const seq = { type: "integer", minimum: 0 } as const;

/** Losing it costs the messages that wait: each receiver begins again at the newest event. */
export const outboxKind: DocumentKind<OutboxRecord> = {
  name: "outbox",
  formatVersion: "1.0.0",
  schema: objectOf({
    receivers: {
      type: "array",
      items: objectOf({
        name: text,
        seq,
        change_hash: { type: ["string", "null"], pattern: "^[0-9a-f]{64}$" },
        sending: nullableObjectOf({ first: seq, last: seq }),
        refused: nullableObjectOf({
          events: seq,
          first: seq,
          last: seq,
          since: text,
          time: text,
          detail: text,
        }),
        untold: nullableObjectOf({ from: seq, to: seq }),
      }),
    },
  }),
  defaults: { receivers: [] },
  onLoss: "defaults",
};

/** The last trouble with a receiver, for people; the time is RFC 3339, by the device's clock. */
export interface Trouble {
  readonly time: string;
  readonly detail: string;
}

/** A cursor whose receiver has refused this message, or a part of it (docs/design/outbox.md, rule 10). */
export function withRefusal(
  cursor: Cursor,
  { error: detail, events }: Delivery & { outcome: "refused" },
  { first, last, count }: { readonly first: number; readonly last: number; readonly count: number },
  now: Date,
): Cursor {
  const { refused, untold } = cursor;
  const time = now.toISOString();
  const before = refused ?? { events: 0, first, since: time };
  return {
    ...cursor,
    refused: { ...before, events: before.events + (events ?? count), last, time, detail },
    // A message that was taken in part has named what was refused before it.
    untold: spanOf(events === undefined ? untold : null, { from: first, to: last }),
  };
}

/** The sentences about what a receiver has refused, behind those about its failure; null: neither. */
export function refusedBefore(refused: Refused | null, failure: Trouble | null = null): Trouble | null {
  if (refused === null) return failure;
  const { events, first, last, since, time, detail } = refused;
  const which = first === last ? `event ${first}` : `the events ${first} to ${last}`;
  const own = `Refused since ${since}, and not sent again: ${events} of ${which}. ${detail}`;
  return failure === null || failure.detail === detail
    ? { time, detail: own }
    : { ...failure, detail: `${failure.detail} ${own}` };
}

/** The span of both; null: there is none. */
export function spanOf(one: Message["gap"], other: Message["gap"]): Message["gap"] {
  if (one === null || other === null) return one ?? other;
  return { from: Math.min(one.from, other.from), to: Math.max(one.to, other.to) };
}
