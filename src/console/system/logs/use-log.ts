import { useEffect, useRef, useState } from "preact/hooks";
import type { LogCounts, LogEntry, LogList, LogQuery } from "../../../contract/types.ts";
import { call } from "../../client/call.ts";
import { follow } from "../../client/event-stream.ts";
import { type Action, useAction } from "../../client/use-action.ts";
import { useResource } from "../../client/use-resource.ts";
import { createStore, type Store, useStore } from "../../store.ts";
import { advanced, arrived, type LogView, opened, withOlder } from "./log-view.ts";

export type FollowedLog = ReturnType<typeof useLog>;

const pageSize = 200;

/** Milliseconds in which lines that come are gathered before they are drawn. */
const gatherMilliseconds = 60;

/** The log as far as it is asked for: the newest lines, and all that come. `view`: null until they are read. */
export function useLog(query: LogQuery) {
  const [store] = useState(() => createStore<LogView | null>(null));
  /** A source of `agent`: there is no journal. */
  const [{ source, error }, setState] = useState<{ source: LogList["source"] | null; error: unknown }>({
    source: null,
    error: null,
  });
  const key = JSON.stringify(query);
  const [turn, setTurn] = useState(0);
  const change = (next: (view: LogView) => LogView): void => {
    const view = store.read();
    if (view !== null) store.set(next(view));
  };
  useEffect(() => {
    const ending = new AbortController();
    const fail = (problem: unknown): void => {
      if (!ending.signal.aborted) setState((before) => ({ ...before, error: problem }));
    };
    store.set(null);
    setState((before) => ({ ...before, error: null }));
    const begin = async (): Promise<void> => {
      const first = await call(
        "listLogs",
        { query: { ...query, limit: pageSize } },
        { signal: ending.signal },
      );
      store.set(opened(first));
      setState({ source: first.source, error: null });
      await followFrom(
        query,
        first.items[0],
        ending.signal,
        (lines) => change((view) => arrived(view, lines)),
        fail,
      );
    };
    begin().catch(fail);
    return () => ending.abort();
  }, [key, turn]);
  const loadingOlder = useOlder(query, store, change);
  return {
    view: useStore(store),
    source,
    error,
    /** Begins again after a failure. */
    reload: async () => setTurn((before) => before + 1),
    loadingOlder,
    pause: (by: "button" | "scroll") => change((view) => ({ ...view, pausedBy: by })),
    /** Shows so many of the lines that wait. */
    advance: (count = Number.POSITIVE_INFINITY) => change((view) => advanced(view, count)),
  };
}

function useOlder(
  query: LogQuery,
  store: Store<LogView | null>,
  change: (next: (view: LogView) => LogView) => void,
): Action<[]> {
  return useAction(async () => {
    const cursor = store.read()?.olderCursor ?? undefined;
    if (cursor === undefined) return;
    const page = await call("listLogs", { query: { ...query, limit: pageSize, cursor } });
    // Something else may be asked for by now.
    change((view) => (view.olderCursor === cursor ? withOlder(view, page) : view));
  });
}

/** Hands over the lines behind the newest that is known, several at a time. */
function followFrom(
  { since: _, ...query }: LogQuery,
  newest: LogEntry | undefined,
  signal: AbortSignal,
  onLines: (lines: readonly LogEntry[]) => void,
  onRefusal: (error: unknown) => void,
): Promise<void> {
  let gathered: LogEntry[] = [];
  const deliver = (): void => {
    const lines = gathered;
    gathered = [];
    if (!signal.aborted) onLines(lines);
  };
  // Not by time where it can be helped: lines of a clock that goes back would be missing.
  const since = newest === undefined ? { since: "10s" } : {};
  return follow(
    "streamLogs",
    { query: { ...query, ...since } },
    signal,
    ({ data }) => {
      if (gathered.length === 0) setTimeout(deliver, gatherMilliseconds);
      gathered.push(data as LogEntry);
    },
    onRefusal,
    newest?.cursor ?? null,
  );
}

/** Counts of a moment: lines that come later are not among them until they are read again. */
type LogCounted = LogCounts & { readonly at: Date };

/** The lines that the filters find, by unit and priority. Until other filters are counted, `value` stays. */
export function useLogCounts({ unit: _, priority: __, ...query }: LogQuery) {
  const { value, error, reload } = useResource("countLogs", { query });
  const last = useRef<{ readonly read: LogCounts; readonly value: LogCounted } | null>(null);
  if (value !== null && value !== last.current?.read)
    last.current = { read: value, value: { ...value, at: new Date() } };
  return { value: last.current?.value ?? null, error, reload };
}
