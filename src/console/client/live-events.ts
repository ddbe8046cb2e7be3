import type { AuditEvent, UpdateProgress } from "../../contract/types.ts";
import { follow } from "./event-stream.ts";

/** What comes over the one event stream of this page. */
export interface LiveListener {
  onEvent?(event: AuditEvent): void;
  onProgress?(progress: UpdateProgress): void;
  /** Events were missed. */
  onGap?(): void;
}

const listeners = new Set<LiveListener>();
let ending: AbortController | null = null;

/** Hears events as they happen, for those who may; one stream serves all listeners. The result takes it back. */
export function listen(listener: LiveListener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Follows the events behind this one, unless they are followed already. */
export function beginEvents(lastId: string): void {
  if (ending !== null) return;
  const mine = new AbortController();
  ending = mine;
  const onRefusal = (): void => {
    if (ending === mine) ending = null;
  };
  void follow("streamEvents", {}, mine.signal, ({ event, data }) => tell(event, data), onRefusal, lastId);
}

function tell(event: string | null, data: unknown): void {
  for (const listener of [...listeners]) {
    if (event === "progress") listener.onProgress?.(data as UpdateProgress);
    else if (event === "gap") listener.onGap?.();
    else listener.onEvent?.(data as AuditEvent);
  }
}

/** Whether events are heard. */
export function isFollowed(): boolean {
  return ending !== null;
}

export function endEvents(): void {
  ending?.abort();
  ending = null;
}
