import type { OperationId } from "../../contract/operations.ts";
import type { AuditEvent, Status, TimeSync, UpdateProgress } from "../../contract/types.ts";
import { lastWrite } from "./call.ts";
import { isConnected } from "./connection.ts";
import { Entry } from "./entry.ts";
import { follow, type StreamMessage } from "./event-stream.ts";
import {
  staleAfterClock,
  staleAfterEvent,
  staleAfterLatest,
  staleAfterPhase,
  staleAfterStatus,
} from "./staleness.ts";

/** Entries that are kept for pages that are visited again. */
const mostEntries = 60;

/** Milliseconds that events are gathered before anything is read again, and between two such readings. */
const gatherMilliseconds = 300;
const leastMilliseconds = 2_000;

/** Milliseconds from which on a value is too old for a page that comes back into sight. */
const oldMilliseconds = 10_000;

const entries = new Map<string, Entry<OperationId>>();

/** When the first of them was asked for, by performance.now(). */
let begunAt: number | null = null;

/** Acts of those who keep more than an entry can, by what has to change for them. */
const watchers = new Set<{ readonly id: OperationId; readonly act: () => void }>();

/** The entry for an operation that all share; `input` as JSON. */
export function entryOf<Id extends OperationId>(id: Id, input: string): Entry<Id> {
  const name = `${id} ${input}`;
  begunAt ??= performance.now();
  const onValue = id === "getStatus" ? statusRead : id === "getTimeSync" ? clockRead : undefined;
  const entry =
    entries.get(name) ?? (new Entry(id, input, onValue as never) as unknown as Entry<OperationId>);
  // Those that were used last are at the end.
  entries.delete(name);
  entries.set(name, entry);
  for (const [other, { isHeld }] of entries) if (entries.size > mostEntries && !isHeld) entries.delete(other);
  return entry as unknown as Entry<Id>;
}

/** Calls `act` when what the operation reads may have changed, as while the page was out of sight. The result takes it back. */
export function onStale(id: OperationId, act: () => void): () => void {
  const watcher = { id, act };
  watchers.add(watcher);
  return () => void watchers.delete(watcher);
}

let stale = new Set<OperationId>();
let isAllStale = false;
let isGathering = false;
let gatheredAt = Number.NEGATIVE_INFINITY;

/** Makes the values of these operations, as far as they are in use, be read again soon. */
function makeStale(ids: readonly OperationId[] | "all"): void {
  if (ids === "all") isAllStale = true;
  else for (const id of ids) stale.add(id);
  if (isGathering || (!isAllStale && stale.size === 0)) return;
  isGathering = true;
  setTimeout(readStale, Math.max(gatherMilliseconds, gatheredAt + leastMilliseconds - performance.now()));
}

function readStale(): void {
  const [ids, isAll] = [stale, isAllStale];
  const isStale = ({ id }: { readonly id: OperationId }): boolean => isAll || ids.has(id);
  stale = new Set();
  isAllStale = false;
  isGathering = false;
  gatheredAt = performance.now();
  for (const entry of [...entries.values()].filter(isStale)) entry.refresh();
  for (const { act } of [...watchers].filter(isStale)) act();
}

/** Those who may see events follow them from the newest in the status on. */
function statusRead(before: Status | null, after: Status): void {
  if (after.latest !== null && ending === null) {
    beginEvents(String(after.latest[0]?.seq ?? 0));
    // The status has everything since the first reading; the values that were read before it may not.
    const seconds = (performance.now() - (begunAt ?? 0)) / 1_000;
    makeStale(staleAfterLatest(after, seconds));
  }
  makeStale(staleAfterStatus(before, after));
}

function clockRead(_before: TimeSync | null, after: TimeSync): void {
  makeStale(staleAfterClock(entryOf("getStatus", "{}").read.read().value, after));
}

let phaseBefore = "";

function progressHeard(progress: UpdateProgress): void {
  const updates = entryOf("getUpdates", "{}");
  const { value } = updates.read.read();
  if (value !== null) updates.amend({ ...value, progress });
  if (progress.phase !== phaseBefore) makeStale(staleAfterPhase);
  phaseBefore = progress.phase;
}

/** Ends the event stream of this page; null: it is not followed. */
let ending: AbortController | null = null;

/** Follows the events behind this one, for those who may. */
function beginEvents(lastId: string): void {
  const mine = new AbortController();
  ending = mine;
  const onRefusal = (): void => {
    if (ending === mine) ending = null;
  };
  const onMessage = ({ event, data }: StreamMessage): void => {
    if (event === "progress") progressHeard(data as UpdateProgress);
    else makeStale(event === "gap" ? "all" : staleAfterEvent((data as AuditEvent).type));
  };
  void follow("streamEvents", {}, mine.signal, onMessage, onRefusal, lastId);
}

/** Keeps fresh what is in use: by events, when the page comes into sight, when the agent is back. */
export function watchChanges(): void {
  // Those who follow events hear of the rest by them.
  lastWrite.subscribe(() => makeStale(ending !== null && lastWrite.read().isSure ? ["getStatus"] : "all"));
  isConnected.subscribe(() => isConnected.read() && makeStale("all"));
  document.addEventListener("visibilitychange", () => {
    for (const entry of entries.values()) entry.refresh(oldMilliseconds);
    if (document.visibilityState === "visible") for (const { act } of watchers) act();
  });
}

/** Nothing of it is for the next user. */
export function forgetAll(): void {
  ending?.abort();
  ending = null;
  for (const entry of entries.values()) entry.forget();
  entries.clear();
  begunAt = null;
}
