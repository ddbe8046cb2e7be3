import { randomBytes } from "node:crypto";
import type { AuditEvent } from "../contract/types.ts";
import type { HostTime } from "../host/host.ts";
import { createDueTimer, type DueTimer } from "../store/files/due-timer.ts";
import { type Batch, type EventQueue, mostOfRecord, readBatch } from "./batch.ts";
import { type Cursor, refusedBefore, spanOf, withRefusal } from "./cursors.ts";
import { isTaken, levelOf, noticeOf, type Takes } from "./notices.ts";
import { type Delivery, type Language, type Message, type Receiver, type Retry, retry } from "./receiver.ts";
import { retryIn } from "./retries.ts";

export interface NamedReceiver {
  readonly name: string;
  /** `record`: every event, at most 200 a message and without the rate limit. */
  readonly takes: Takes;
  readonly receiver: Receiver;
}

/** True for receivers of one name, address, secret and choice of events. */
export function areSame(one: NamedReceiver, other: NamedReceiver): boolean {
  return one.name === other.name && one.receiver === other.receiver && one.takes === other.takes;
}

export type ReceiverState = ReturnType<Dispatcher["state"]>;

export interface DispatcherOptions extends Pick<HostTime, "uptime" | "timers"> {
  readonly events: EventQueue;
  readonly device: () => Message["device"];
  /** The language of messages to people; the record is in English. */
  readonly language: () => Language;
  /** Settles when the cursor is on the disk, or only in memory because the disk takes nothing. */
  readonly keep: (cursor: Cursor) => Promise<void>;
  readonly now: () => Date;
  /** 0 to 1. */
  readonly random: () => number;
}

/** Seconds between two messages to a person, unless one of their events is grave. */
const restSeconds = 60;

/** Seconds in which events that occur together become one message: ten of the record, since each costs two writes. */
const gatherSeconds = { all: 1, grave: 1, record: 10 } as const satisfies Record<Takes, number>;

/** Seconds after which an attempt is ended; receivers end theirs sooner. */
const attemptSeconds = 60;

/** Events that pass a receiver by before its place is written again: few enough that the log still has them. */
const eventsBetweenWrites = 500;

/** Brings one receiver its events, a message at a time in order, each until acknowledged (docs/design/outbox.md, rule 3). */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #timer: DueTimer;
  readonly #stopping = new AbortController();
  #named: NamedReceiver;
  #cursor: Cursor;
  /** The seq of the cursor that was last written. */
  #written: number;
  /** The newest seq at the last reading of the log. */
  #looked: number;
  #waiting = 0;
  /** Events of the next message of the record: fewer after a refusal, until it has only the one that is refused. */
  #most = mostOfRecord;
  #isGrave = false;
  #failures = 0;
  #failingSince: number | null = null;
  #lastSuccess: Date | null = null;
  #lastError: { readonly time: string; readonly detail: string } | null = null;
  /** Uptimes before which no message leaves: after a success, unless it is grave; and after a failure. */
  #restUntil = 0;
  #retryAt = 0;
  #running: Promise<void> | null = null;
  #isDue = false;

  constructor(named: NamedReceiver, cursor: Cursor, options: DispatcherOptions) {
    this.#options = options;
    this.#named = named;
    this.#cursor = cursor;
    [this.#written, this.#looked] = [cursor.seq, cursor.seq];
    this.#timer = createDueTimer(() => this.#run(), options);
    if (cursor.sending !== null || cursor.seq < options.events.head()) this.#timer.within(0);
  }

  /** Call it with each event, in order. */
  heard(event: AuditEvent): void {
    const { takes } = this.#named;
    if (isTaken(takes, event)) {
      this.#waiting += 1;
      this.#isGrave ||= levelOf(event) === "grave";
      this.#schedule(gatherSeconds[takes]);
    } else if (this.#cursor.seq === event.seq - 1 && this.#running === null) {
      const change_hash = event.log === "changes" ? event.hash : this.#cursor.change_hash;
      this.#pass({ seq: event.seq, change_hash });
    } else if (event.seq - this.#looked >= eventsBetweenWrites) this.#schedule(gatherSeconds[takes]);
  }

  /** The receiver has another address, secret or choice of events: it may work now. */
  replace(named: NamedReceiver): void {
    if (areSame(named, this.#named)) return;
    this.#named = named;
    this.#retryAt = 0;
    this.#timer.within(0);
  }

  state() {
    const { now, uptime } = this.#options;
    const due = Math.max(0, this.#allowedAt() - uptime());
    return {
      name: this.#named.name,
      /** The last message taken whole since the agent's start, by the device's clock (RFC 3339); null: none yet. */
      last_success: this.#lastSuccess?.toISOString() ?? null,
      /** Events that were not delivered yet. */
      waiting: this.#waiting,
      /** The last failure since the last success, and what was refused until a person has tested the receiver. */
      last_error: refusedBefore(this.#cursor.refused, this.#lastError),
      /** Events that it has refused until then. */
      refused: this.#cursor.refused?.events ?? 0,
      /** Seconds since the first failure after the last success; 0: it does not fail. */
      failing_seconds: this.#failingSince === null ? 0 : uptime() - this.#failingSince,
      /** null: nothing waits. */
      next_attempt: this.#waiting === 0 ? null : new Date(now().getTime() + due * 1_000).toISOString(),
    };
  }

  /** Delivers a message without events, beside those that wait. */
  async test(): Promise<Delivery> {
    const id = `test-${randomBytes(8).toString("hex")}`;
    const delivery = await this.#deliver(
      this.#messageOf(id, { events: [], count: 0, counts: {}, gap: null }, true),
    );
    if (delivery.outcome === "refused") this.#troubled(delivery.error);
    if (delivery.outcome !== "taken") return delivery;
    // The receiver answers: what waits need not wait for the next attempt.
    const before = refusedBefore(this.#cursor.refused);
    this.#succeeded();
    // The answer to the test says what it has refused, and that ends it.
    if (before !== null) await this.#keep({ ...this.#cursor, refused: null });
    this.#timer.within(0);
    return before === null ? delivery : { ...delivery, answer: `${delivery.answer}. ${before.detail}` };
  }

  /** Ends the attempt that is under way, and keeps the place. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#timer.putOff();
    await this.#running;
    if (this.#cursor.seq !== this.#written) await this.#keep(this.#cursor);
  }

  #run(): void {
    this.#timer.putOff();
    if (this.#stopping.signal.aborted) return;
    this.#isDue = true;
    this.#running ??= this.#whileDue().finally(() => {
      this.#running = null;
    });
  }

  async #whileDue(): Promise<void> {
    while (this.#isDue && !this.#stopping.signal.aborted) {
      this.#isDue = false;
      await this.#next().catch((error: Error) => this.#failed(retry(error.message)));
    }
  }

  /** Sends the next message, if one may leave now. */
  async #next(): Promise<void> {
    const { events, uptime } = this.#options;
    const { takes } = this.#named;
    const last = this.#cursor.sending?.last ?? null;
    this.#looked = events.head();
    const query = { takes, from: this.#cursor, last, most: this.#most };
    const { batch, waiting, idle } = await readBatch(events, query);
    this.#waiting = waiting;
    this.#isGrave = batch?.isGrave ?? false;
    if (batch === null) {
      // The log dropped all events of the message that was being tried; those that are left tell the gap.
      if (last !== null) return this.#again({ ...this.#cursor, sending: null });
      this.#pass(idle);
      return;
    }
    if (this.#allowedAt() > uptime()) return this.#schedule(0);
    // A message that was tried keeps its id although the log may have dropped its first events since.
    const sending = this.#cursor.sending ?? { first: batch.first, last: batch.last };
    if (this.#cursor.sending === null) await this.#keep({ ...this.#cursor, ...batch.before, sending });
    const delivery = await this.#deliver(this.#messageOf(`${sending.first}-${sending.last}`, batch));
    if (this.#stopping.signal.aborted && delivery.outcome === "retry") return;
    if (delivery.outcome === "retry") return this.#failed(delivery);
    const isWhole = delivery.outcome === "refused" && delivery.events === undefined;
    // A part of it may be what is refused.
    if (isWhole && takes === "record" && batch.count > 1) {
      this.#most = Math.ceil(batch.count / 2);
      return this.#again({ ...this.#cursor, sending: null });
    }
    this.#restUntil = uptime() + (takes === "record" ? 0 : restSeconds);
    this.#waiting = Math.max(0, this.#waiting - batch.count);
    const ended = { ...this.#cursor, ...batch.end, sending: null };
    if (delivery.outcome === "taken") {
      this.#most = Math.min(mostOfRecord, 2 * this.#most);
      this.#succeeded();
      return this.#again({ ...ended, untold: null });
    }
    // One that refuses all has time to be repaired, as one that fails.
    if (isWhole) this.#failed(delivery);
    else this.#succeeded(false);
    return this.#again(withRefusal(ended, delivery, batch, this.#options.now()));
  }

  /** `name`: its part of the message's id. */
  #messageOf(
    name: string,
    batch: Pick<Batch, "events" | "count" | "counts" | "gap">,
    isTest = false,
  ): Message {
    const { events, count, counts } = batch;
    const gap = isTest ? null : spanOf(batch.gap, this.#cursor.untold);
    const device = this.#options.device();
    const language = this.#named.takes === "record" ? "en" : this.#options.language();
    const notices = events.map((event) => noticeOf(event, language));
    return { id: `${device.id}-${name}`, device, language, notices, count, counts, gap, isTest };
  }

  /** Goes on from here at once. */
  async #again(cursor: Cursor): Promise<void> {
    await this.#keep(cursor);
    this.#isDue = true;
  }

  /** Never rejects. */
  async #deliver(message: Message): Promise<Delivery> {
    const attempt = new AbortController();
    const ended = new Promise<Delivery>((resolve) => {
      const error = `The receiver did not answer within ${attemptSeconds} s.`;
      attempt.signal.addEventListener("abort", () => resolve(retry(error)));
    });
    const end = () => attempt.abort();
    if (this.#stopping.signal.aborted) end();
    const takeBack = this.#options.timers.after(attemptSeconds, end);
    this.#stopping.signal.addEventListener("abort", end);
    try {
      return await Promise.race([this.#named.receiver.deliver(message, attempt.signal), ended]);
    } catch (error) {
      return retry(error instanceof Error ? error.message : String(error));
    } finally {
      takeBack();
      this.#stopping.signal.removeEventListener("abort", end);
    }
  }

  /** It has answered for itself. `isWhole`: and has refused nothing. */
  #succeeded(isWhole = true): void {
    [this.#failures, this.#failingSince, this.#retryAt, this.#lastError] = [0, null, 0, null];
    if (isWhole) this.#lastSuccess = this.#options.now();
  }

  #failed({ error, retryAfterSeconds }: Pick<Retry, "error" | "retryAfterSeconds">): void {
    const { uptime, random } = this.#options;
    this.#failures += 1;
    this.#failingSince ??= uptime();
    this.#troubled(error);
    this.#retryAt = uptime() + retryIn(this.#failures, random(), retryAfterSeconds);
    this.#schedule(0);
  }

  #troubled(detail: string): void {
    this.#lastError = { time: this.#options.now().toISOString(), detail };
  }

  #schedule(seconds: number): void {
    if (this.#stopping.signal.aborted) return;
    this.#timer.within(Math.max(seconds, this.#allowedAt() - this.#options.uptime()));
  }

  #allowedAt(): number {
    return Math.max(this.#retryAt, this.#isGrave || this.#cursor.sending !== null ? 0 : this.#restUntil);
  }

  /** Nothing up to here is for this receiver. */
  #pass(position: Pick<Cursor, "seq" | "change_hash">): void {
    this.#cursor = { ...this.#cursor, ...position };
    if (position.seq - this.#written >= eventsBetweenWrites) void this.#keep(this.#cursor);
  }

  async #keep(cursor: Cursor): Promise<void> {
    [this.#cursor, this.#written] = [cursor, cursor.seq];
    await this.#options.keep(cursor);
  }
}
