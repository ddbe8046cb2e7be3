import type { DocumentKind } from "../store/documents/document-kind.ts";
import { nullableObjectOf, objectOf } from "../store/validation/object-schema.ts";

/** A place in the record of events, which is the outbox's queue. */
export interface Position {
  /** Everything up to this seq is done. */
  readonly seq: number;
  /** The hash of the last change up to it, by which a gap behind it shows; null: unknown. */
  readonly change_hash: string | null;
}

/** The place of one receiver. */
export interface Cursor extends Position {
  /** The receiver's name. */
  readonly name: string;
  /**
   * The first and last seq of the message that is being tried. Written before the first attempt, so that an agent that
   * was killed repeats the same message under the same id.
   */
  readonly sending: { readonly first: number; readonly last: number } | null;
}

export interface OutboxRecord {
  readonly receivers: readonly Cursor[];
}

const seq = { type: "integer", minimum: 0 } as const;

/** Losing it costs the messages that wait: each receiver begins again at the newest event. */
export const outboxKind: DocumentKind<OutboxRecord> = {
  name: "outbox",
  formatVersion: "1.0.0",
  schema: objectOf({
    receivers: {
      type: "array",
      items: objectOf({
        name: { type: "string" },
        seq,
        change_hash: { type: ["string", "null"], pattern: "^[0-9a-f]{64}$" },
        sending: nullableObjectOf({ first: seq, last: seq }),
      }),
    },
  }),
  defaults: { receivers: [] },
  onLoss: "defaults",
};
