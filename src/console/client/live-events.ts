import type { AuditEvent, UpdateProgress } from "../../contract/types.ts";
import { follow } from "./event-stream.ts";

/** What comes over the one event stream of this page. */
export interface LiveListener {
  onEvent?(event: AuditEvent): void;
  onProgress?(progress: UpdateProgress): void;
}

const listeners = new Set<LiveListener>();
let ending: AbortController | null = null;

/** Hears events as they happen, for those who may; one stream serves all listeners. The result takes it back. */
export function listen(listener: LiveListener): () => void {
  listeners.add(listener);
  begin();
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    ending?.abort();
    ending = null;
  };
}

function begin(): void {
  if (ending !== null) return;
  ending = new AbortController();
  // Users who may not follow events have pages that poll instead.
  void follow("streamEvents", {}, ending.signal, ({ event, data }) => {
    for (const listener of [...listeners]) {
      if (event === "progress") listener.onProgress?.(data as UpdateProgress);
      else if (event === null || event !== "gap") listener.onEvent?.(data as AuditEvent);
    }
  });
}
