import { StewardError } from "../contract/errors.ts";
import type { Document } from "../store/documents/document.ts";
import type { Cursor, OutboxRecord } from "./cursors.ts";
import { Dispatcher, type DispatcherOptions, type NamedReceiver, type ReceiverState } from "./dispatcher.ts";
import type { Delivery } from "./receiver.ts";

/**
 * Brings the device's events to receivers elsewhere: at least once, in the order of seq, over power cuts and weeks without
 * a network. The record of events is its queue, and a receiver is a place in it, so that events are dropped by the record's
 * own rules only, and a message says so.
 */
export interface Outbox {
  /**
   * Call it after the start, and after each change of the receivers. A name that was not there before begins at the newest
   * event; one that is no longer given is forgotten.
   */
  configure(receivers: readonly NamedReceiver[]): void;
  states(): readonly ReceiverState[];
  /** Delivers a message without events, whatever else waits. Throws `not_found`. */
  test(name: string): Promise<Delivery>;
  /** Ends the attempts that are under way; their messages are tried again after the next start. */
  close(): Promise<void>;
}

export interface OutboxOptions extends Omit<DispatcherOptions, "keep"> {
  readonly document: Pick<Document<OutboxRecord>, "read" | "note" | "save">;
}

export function createOutbox({ document, ...options }: OutboxOptions): Outbox {
  const { events } = options;
  const dispatchers = new Map<string, Dispatcher>();
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
    configure: (receivers) => {
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
    states: () => [...dispatchers.values()].map((dispatcher) => dispatcher.state()),
    test: async (name) => {
      const dispatcher = dispatchers.get(name);
      if (dispatcher) return dispatcher.test();
      throw new StewardError("not_found", `There is no receiver "${name}".`);
    },
    close: async () => {
      unsubscribe();
      await Promise.all([...dispatchers.values()].map((dispatcher) => dispatcher.stop()));
    },
  };
}

/** The stored place of a receiver; a place behind the head is of a record that has begun again since. */
function cursorOf(name: string, stored: readonly Cursor[], head: number): Cursor {
  const known = stored.find((one) => one.name === name);
  if (known !== undefined && known.seq <= head) return known;
  return { name, seq: head, change_hash: null, sending: null };
}
