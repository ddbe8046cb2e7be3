import { useEffect, useRef, useState } from "preact/hooks";
import type { AuditEvent } from "../../../contract/types.ts";
import { onStale } from "../../client/cache.ts";
import { call } from "../../client/call.ts";
import { useAction } from "../../client/use-action.ts";
import { createStore, type Store, useStore } from "../../store.ts";
import type { EventQuery } from "./events-query.ts";

interface Read {
  /** The newest first. */
  readonly items: readonly AuditEvent[];
  readonly total: number;
  readonly olderCursor: string | null;
}

/** Events of one reading; the agent gives 200 at most. */
const limit = 100;

/** The events that match, the newest as they happen. `items`: the newest first; null: not read yet. */
export function useEvents(query: EventQuery) {
  const key = JSON.stringify(query);
  const [store] = useState(() => createStore<Read | null>(null));
  const [error, setError] = useState<unknown>(null);
  /** The newest that is shown while it is paused. */
  const [pausedAt, setPausedAt] = useState<number | null>(null);
  const read = useRef<() => Promise<void>>(async () => undefined);
  useEffect(() => {
    store.set(null);
    setPausedAt(null);
    setError(null);
    const reading = readOn(store, query, setError);
    read.current = reading.read;
    return reading.end;
  }, [key]);
  const known = useStore(store);
  const loadingOlder = useAction(async () => {
    const cursor = store.read()?.olderCursor;
    if (!cursor) return;
    const older = await call("listEvents", { query: { ...query, limit, cursor } });
    const now = store.read();
    if (now?.olderCursor === cursor)
      store.set({ ...now, items: [...now.items, ...older.items], olderCursor: older.next_cursor });
  });
  const all = known?.items ?? [];
  const shown = pausedAt === null ? all : all.filter(({ seq }) => seq <= pausedAt);
  return {
    items: known && shown,
    total: known?.total ?? 0,
    error,
    reload: () => read.current(),
    /** The total does not say so, because it counts new events as well. */
    hasOlder: known !== null && known.olderCursor !== null,
    loadingOlder,
    isPaused: pausedAt !== null,
    /** Events that are held back while it is paused. */
    waiting: all.length - shown.length,
    setPaused: (isPaused: boolean) => setPausedAt(isPaused ? (all[0]?.seq ?? 0) : null),
  };
}

/** Reads the newest, and what follows whenever something has happened. `read` does so at once. */
function readOn(store: Store<Read | null>, asked: EventQuery, setError: (error: unknown) => void) {
  const ending = new AbortController();
  let isReading = false;
  let isWanted = true;
  const readNewer = async (): Promise<void> => {
    isWanted = true;
    if (isReading) return;
    isReading = true;
    while (isWanted) {
      isWanted = false;
      const known = store.read();
      const after = known?.items[0]?.seq;
      const query = { ...asked, limit, ...(after !== undefined && { after }) };
      const { items, total, next_cursor } = await call("listEvents", { query }, { signal: ending.signal });
      if (known === null || after === undefined) {
        store.set({ items, total, olderCursor: next_cursor });
      } else {
        store.set({ ...known, items: [...items.toReversed(), ...known.items], total });
        isWanted ||= next_cursor !== null;
      }
    }
    isReading = false;
  };
  const read = (): Promise<void> =>
    readNewer().then(
      () => setError(null),
      (problem) => {
        isReading = false;
        if (!ending.signal.aborted) setError(problem);
      },
    );
  const stop = onStale("listEvents", () => void read());
  void read();
  const end = (): void => {
    stop();
    ending.abort();
  };
  return { read, end };
}
