import { useEffect, useState } from "preact/hooks";
import type { EventType } from "../../../contract/event-types.ts";
import type { AuditEvent, EventList } from "../../../contract/types.ts";
import { call } from "../../client/call.ts";
import { listen } from "../../client/live-events.ts";
import { type Action, useAction } from "../../client/use-action.ts";
import { createStore, type Store, useStore } from "../../store.ts";

export interface Events {
  /** The newest first; null: not read yet. */
  readonly items: readonly AuditEvent[] | null;
  /** Of all that are kept and match. */
  readonly total: number;
  readonly error: unknown;
  readonly loadingOlder: Action<[]>;
  readonly isPaused: boolean;
  /** Events that are held back while it is paused. */
  readonly waiting: number;
  setPaused(isPaused: boolean): void;
}

interface Read {
  /** In their order. */
  readonly items: readonly AuditEvent[];
  readonly total: number;
}

/** Events of one reading; the agent gives 200 at most. */
const limit = 100;

/** Events of one type, or all, the newest as they happen. */
export function useEvents(type: EventType | undefined): Events {
  const [store] = useState(() => createStore<Read | null>(null));
  const [error, setError] = useState<unknown>(null);
  /** The newest that is shown while it is paused. */
  const [pausedAt, setPausedAt] = useState<number | null>(null);
  useEffect(() => {
    store.set(null);
    setPausedAt(null);
    return readOn(store, type, setError);
  }, [type]);
  const read = useStore(store);
  const loadingOlder = useAction(async () => {
    const before = store.read();
    const first = before?.items[0];
    if (first === undefined) return;
    const older = await readOlder(type, first.seq);
    const now = store.read();
    if (now?.items[0] === first) store.set({ ...now, items: [...older, ...now.items] });
  });
  const all = read?.items ?? [];
  const shown = pausedAt === null ? all : all.filter(({ seq }) => seq <= pausedAt);
  return {
    items: read && shown.toReversed(),
    total: read?.total ?? 0,
    error,
    loadingOlder,
    isPaused: pausedAt !== null,
    waiting: all.length - shown.length,
    setPaused: (isPaused) => setPausedAt(isPaused ? (all.at(-1)?.seq ?? 0) : null),
  };
}

/** Reads the newest, and what follows whenever the stream says that something has happened. The result ends it. */
function readOn(
  store: Store<Read | null>,
  type: EventType | undefined,
  setError: (error: unknown) => void,
): () => void {
  const ending = new AbortController();
  let isReading = false;
  let isWanted = true;
  const readNewer = async (): Promise<void> => {
    isWanted = true;
    if (isReading) return;
    isReading = true;
    while (isWanted) {
      isWanted = false;
      const known = store.read()?.items ?? [];
      const after = known.at(-1)?.seq;
      const query = { limit, ...(type && { type }), ...(after !== undefined && { after }) };
      const page = await call("listEvents", { query }, { signal: ending.signal });
      store.set({ items: [...known, ...page.items], total: page.total });
      isWanted ||= page.next_cursor !== null;
    }
    isReading = false;
  };
  const onEvent = (): void =>
    void readNewer().then(
      () => setError(null),
      (problem) => {
        isReading = false;
        if (!ending.signal.aborted) setError(problem);
      },
    );
  const stop = listen({ onEvent });
  onEvent();
  return () => {
    stop();
    ending.abort();
  };
}

/**
 * The events before one, in their order. The agent counts on from a seq and never back, so it is asked for a stretch
 * before that, a longer one where the shorter had none of the type.
 */
async function readOlder(type: EventType | undefined, before: number): Promise<AuditEvent[]> {
  for (let stretch = limit; ; stretch *= 8) {
    const begin = Math.max(0, before - 1 - stretch);
    let found: AuditEvent[] = [];
    for (let after: number | null = begin; after !== null; ) {
      const page: EventList = await call("listEvents", { query: { after, limit, ...(type && { type }) } });
      found = [...found, ...page.items.filter(({ seq }) => seq < before)];
      const next = page.next_cursor === null ? null : Number(page.next_cursor);
      after = next !== null && next < before ? next : null;
    }
    if (found.length > 0 || begin === 0) return found.slice(-limit);
  }
}
