import { StewardError } from "../contract/errors.ts";
import type { AuditEvent } from "../contract/types.ts";
import type { Document } from "../store/documents/document.ts";
import type { Cursor, OutboxRecord } from "./cursors.ts";
import {
  areSame,
  Dispatcher,
  type DispatcherOptions,
  type NamedReceiver,
  type ReceiverState,
} from "./dispatcher.ts";
import { languages } from "./notices.ts";
import type { Delivery, Message } from "./receiver.ts";

/**
 * Brings the device's events to receivers elsewhere: at least once, in the order of seq, over power cuts and weeks without
 * a network. The record of events is its queue, and a receiver is a place in it, so that events are dropped by the record's
 * own rules only, and a message says so.
 */
export type Outbox = ReturnType<typeof createOutbox>;

export interface OutboxOptions extends Omit<DispatcherOptions, "keep"> {
  readonly document: Pick<Document<OutboxRecord>, "read" | "note" | "save">;
}

export function createOutbox({ document, ...options }: OutboxOptions) {
  const { events } = options;
  const dispatchers = new Map<string, Dispatcher>();
  const farewells = createFarewells(options);
  const write = async (change: (receivers: readonly Cursor[]) => readonly Cursor[]): Promise<void> => {
    document.note((record) => ({ ...record, receivers: change(record.receivers) }), 0);
    await document.save();
  };
  const keep = (cursor: Cursor) =>
    write((receivers) => receivers.map((one) => (one.name === cursor.name ? cursor : one)));
  const unsubscribe = events.subscribe((event, isRepeat) => {
    if (isRepeat) return;
    for (const dispatcher of dispatchers.values()) dispatcher.heard(event);
  });
  return {
    /**
     * Call it after the start, and after each change of the receivers. A name that was not there before begins at the newest
     * event; one that is no longer given is forgotten. `change`: the event of the change, which a receiver that is gone or
     * replaced by it gets as its last message.
     */
    configure: (receivers: readonly NamedReceiver[], change?: Promise<AuditEvent>): void => {
      farewells.configure(receivers, change);
      const names = new Set(receivers.map(({ name }) => name));
      for (const [name, dispatcher] of dispatchers) {
        if (names.has(name)) continue;
        dispatchers.delete(name);
        void dispatcher.stop();
      }
      const cursors = receivers.map(({ name }) => cursorOf(name, document.read().receivers, events.head()));
      void write(() => cursors);
      for (const [index, named] of receivers.entries()) {
        const [present, cursor] = [dispatchers.get(named.name), cursors[index]];
        if (present) present.replace(named);
        else if (cursor) dispatchers.set(named.name, new Dispatcher(named, cursor, { ...options, keep }));
      }
    },
    states: (): readonly ReceiverState[] => [...dispatchers.values()].map((dispatcher) => dispatcher.state()),
    /** Delivers a message without events, whatever else waits. Throws `not_found`. */
    test: async (name: string): Promise<Delivery> => {
      const dispatcher = dispatchers.get(name);
      if (dispatcher) return dispatcher.test();
      throw new StewardError("not_found", `There is no receiver "${name}".`);
    },
    /** Ends the attempts that are under way; their messages are tried again after the next start. */
    close: async (): Promise<void> => {
      unsubscribe();
      const all = [...dispatchers.values(), ...farewells.end()];
      await Promise.all(all.map((dispatcher) => dispatcher.stop()));
    },
  };
}

/** Attempts of a last message, about an hour; it is in memory only. */
const mostLastAttempts = 7;

/** Last messages to receivers that a change has removed or replaced, under the address and secret that they had (rule 15). */
function createFarewells(options: Omit<DispatcherOptions, "keep">) {
  const dispatchers = new Set<Dispatcher>();
  let present: readonly NamedReceiver[] = [];
  let isOver = false;
  const send = (one: NamedReceiver, word: "removed" | "replaced", event: AuditEvent): void => {
    const events = {
      ...options.events,
      head: () => event.seq,
      list: async () => ({ items: [event], next_cursor: null }),
    };
    const cursor = newCursor(one.name, event.seq - 1);
    const last = lastOf(one, word, () => dispatchers.delete(dispatcher));
    const dispatcher = new Dispatcher(last, cursor, { ...options, events, keep: async () => undefined });
    dispatchers.add(dispatcher);
  };
  return {
    /** Sends no more, and returns what is under way. */
    end: (): Iterable<Dispatcher> => {
      isOver = true;
      return dispatchers;
    },
    configure: (receivers: readonly NamedReceiver[], change: Promise<AuditEvent> | undefined): void => {
      const leaving = present.filter((one) => !receivers.some((next) => areSame(one, next)));
      present = receivers;
      const isNamed = ({ name }: NamedReceiver) => receivers.some((next) => next.name === name);
      void change?.then((event) => {
        if (!isOver) for (const one of leaving) send(one, isNamed(one) ? "replaced" : "removed", event);
      });
    },
  };
}

/** `over`: called when the message has arrived, or was tried often enough. */
function lastOf(
  { name, takes, receiver }: NamedReceiver,
  word: "removed" | "replaced",
  over: () => void,
): NamedReceiver {
  let attempts = 0;
  const spoken = (message: Message): Message => ({
    ...{ ...message, id: `${message.id}-last` },
    notices: message.notices.map((notice) => ({
      ...notice,
      text: `${notice.text} ${languages[message.language][word](name)}`,
    })),
  });
  const deliver = async (message: Message, signal: AbortSignal): Promise<Delivery> => {
    const delivery = await receiver.deliver(spoken(message), signal);
    attempts += 1;
    if (delivery.outcome === "retry" && attempts < mostLastAttempts) return delivery;
    over();
    return { outcome: "taken", answer: "" };
  };
  return { name, takes, receiver: { deliver } };
}

/** The stored place of a receiver; a place behind the head is of a record that has begun again since. */
function cursorOf(name: string, stored: readonly Cursor[], head: number): Cursor {
  const known = stored.find((one) => one.name === name);
  if (known !== undefined && known.seq <= head) return known;
  return newCursor(name, head);
}

function newCursor(name: string, seq: number): Cursor {
  return { name, seq, change_hash: null, sending: null, refused: null, untold: null };
}
