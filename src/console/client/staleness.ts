import { type EventType, eventTypes } from "../../contract/event-types.ts";
import type { Stale } from "../../contract/events/row.ts";
import type { OperationId } from "../../contract/operations.ts";
import type { Output, Status, TimeSync } from "../../contract/types.ts";

type Reads = readonly OperationId[];

const people: Reads = ["listUsers", "getUser"];
const clock: Reads = ["getTimeSync", "getHealth"];
const updates: Reads = ["getUpdates", "listUpdateHistory", "getHealth"];
const device: Reads = ["getSystemFacts", "getHost", "getVersion", "getHealth"];

/** The operations that read each thing that an event makes stale. */
const readsOf: Readonly<Record<Stale, Reads>> = {
  people,
  sessions: ["listSessions", ...people],
  tokens: ["listTokens", ...people],
  clock,
  updates,
  settings: ["getSettings", "getNotifications"],
  device,
  version: ["getVersion"],
  health: ["getHealth"],
};

/** The reads that are stale after an event; events of a newer agent may change anything. */
export function staleAfterEvent(type: string): Reads | "all" {
  if (!Object.hasOwn(eventTypes, type)) return "all";
  const { stale } = eventTypes[type as EventType];
  return ["getStatus", "listEvents", "countEvents", ...stale.flatMap((one) => readsOf[one])];
}

/** The reads that events of the last seconds before the status have made stale; all, if the status may lack some events. */
export function staleAfterLatest({ latest, server_time }: Status, seconds: number): Reads | "all" {
  const since = Date.parse(server_time) - seconds * 1_000;
  const recent = (latest ?? []).filter(({ time }) => Date.parse(time) >= since);
  if (recent.length > 0 && recent.length === latest?.length) return "all";
  const reads = recent.map(({ type }) => staleAfterEvent(type));
  return reads.includes("all") ? "all" : (reads as Reads[]).flat();
}

/** The same after progress in another phase. */
export const staleAfterPhase: Reads = ["getStatus", ...updates];

/** The reads that are stale because the status, which is read regularly, has changed without an event. */
export function staleAfterStatus(before: Status | null, after: Status): Reads {
  if (before === null) return [];
  const found = ofStatus.filter(([fact]) => JSON.stringify(fact(before)) !== JSON.stringify(fact(after)));
  return found.flatMap(([, reads]) => reads);
}

/** The clock's page looks at the clock more often than the status is read: where the two differ, the status is old. */
export function staleAfterClock(status: Status | null, present: TimeSync): Reads {
  const isOld = status !== null && ofClock(status.clock).join() !== ofClock(present).join();
  return isOld ? ["getStatus"] : [];
}

/** Facts of the clock that both have. */
function ofClock({ state, trust, authenticated }: Pick<TimeSync, "state" | "trust" | "authenticated">) {
  return [state, trust, authenticated];
}

/** Parts of the status that stay the same as long as nothing has happened. */
const ofStatus: readonly (readonly [fact: (status: Status) => unknown, reads: Reads])[] = [
  [(status) => [status.clock.word, status.clock.mode, status.clock.source, ...ofClock(status.clock)], clock],
  [({ updates }) => updates && { ...updates, summary: updates.summary.code }, updates],
  [({ people }) => people, people],
  [({ needs }) => needs.map(({ code, level }) => [code, level]), ["getHealth"]],
  [({ version, device_name, accent }) => [version, device_name, accent], device],
];

/** Seconds between two readings while nothing happens. */
const calm: Readonly<Partial<Record<OperationId, number>>> = {
  getStatus: 60,
  getTimeSync: 150,
  getSystemFacts: 300,
  // Deliveries are no events.
  getNotifications: 20,
};

/** Seconds after which a value is read again: it moves steadily, or is under way. null: each change has an event. */
export function freshSeconds<Id extends OperationId>(id: Id, value: Output<Id> | null): number | null {
  if (value !== null && isMoving(id, value)) return movingSeconds;
  // A history has another point when its next step is over.
  if (id === "getHistory") return (value as Output<"getHistory"> | null)?.step_seconds ?? null;
  return calm[id] ?? null;
}

const movingSeconds = 3;

function isMoving(id: OperationId, value: unknown): boolean {
  if (id === "getTimeSync") return (value as Output<"getTimeSync">).state === "acquiring";
  if (id !== "getUpdates") return false;
  const { progress, trial } = value as Output<"getUpdates">;
  return (progress !== null && progress.phase !== "idle") || trial !== null;
}
