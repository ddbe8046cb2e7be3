import type { AuditEvent } from "../contract/types.ts";

export type Language = "en" | "de";

export interface Notice {
  /** The number of its event; it rises, and no device uses one twice. */
  readonly seq: number;
  /** RFC 3339, in UTC, by the device's clock. */
  readonly time: string;
  /** The event's type, such as `need.began`. */
  readonly type: string;
  /** `grave`: it does not wait for the next message of a minute. */
  readonly level: "grave" | "ordinary";
  /** One line. */
  readonly title: string;
  /** The sentence, or sentences. */
  readonly text: string;
  /** The record itself. */
  readonly event: AuditEvent;
}

export interface Message {
  /** `${device.id}-${first seq}-${last seq}` at every attempt; a test has `${device.id}-test-${random}`. */
  readonly id: string;
  readonly device: { readonly id: string; readonly name: string | null };
  readonly language: Language;
  /** In the order of seq; at most 20, or 200 for a receiver of the record. A test has none. */
  readonly notices: readonly Notice[];
  /** The number of events that it reports; in a storm, more than it has notices. */
  readonly count: number;
  /** Those events by their type. */
  readonly counts: Readonly<Record<string, number>>;
  /** The first and last seq among which the log dropped events before they were sent, or they were refused; null: none. */
  readonly gap: { readonly from: number; readonly to: number } | null;
  readonly isTest: boolean;
}

/**
 * The end of an attempt (docs/design/outbox.md, rule 10). `answer`: the receiver's own words, such as `204 No Content` or
 * `250 2.0.0 Ok: queued as 4F2A`. `error`: sentences that a person understands.
 */
export type Delivery =
  | { readonly outcome: "taken"; readonly answer: string }
  /** Never taken, and not sent again. `events`: how many it refused; absent: all, which may go again in smaller parts. */
  | { readonly outcome: "refused"; readonly answer: string; readonly error: string; readonly events?: number }
  /** It may take the message later. `retryAfterSeconds`: the least pause. */
  | Retry;

export interface Retry {
  readonly outcome: "retry";
  readonly error: string;
  readonly retryAfterSeconds?: number;
}

export function retry(error: string, retryAfterSeconds?: number): Retry {
  return { outcome: "retry", error, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
}

/** A person or program elsewhere that receives the device's events. */
export interface Receiver {
  /** Tries once, and never throws; ends soon after the signal is aborted. */
  deliver(message: Message, signal: AbortSignal): Promise<Delivery>;
}
