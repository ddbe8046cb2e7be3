import type { EventType } from "../../contract/event-types.ts";
import type { OperationId } from "../../contract/operations.ts";
import type { Output, Status, TimeSync } from "../../contract/types.ts";

type Reads = readonly OperationId[];

const people: Reads = ["listUsers", "getUser"];
const sessions: Reads = ["listSessions", ...people];
const tokens: Reads = ["listTokens", ...people];
const clock: Reads = ["getTimeSync", "getHealth"];
const updates: Reads = ["getUpdates", "listUpdateHistory", "getHealth"];
const device: Reads = ["getSystemFacts", "getHost", "getVersion", "getHealth"];

/** What an event changes, besides the status and the list of events themselves. */
const changedBy: Readonly<Record<EventType, Reads>> = {
  "setup.done": people,
  "setup.rescued": people,
  "sign_in.succeeded": sessions,
  "sign_in.refused": people,
  "step_up.succeeded": [],
  "session.ended": sessions,
  "session.reused": sessions,
  "session.cookie_refused": [],
  "password.changed": sessions,
  "user.created": people,
  "user.changed": people,
  "user.deleted": people,
  "user.password_reset": [...sessions, ...tokens],
  "user.unlocked": people,
  "user.rescued": [...sessions, ...tokens],
  "user.sessions_ended": sessions,
  "two_factor.set_up": people,
  "two_factor.enabled": people,
  "two_factor.disabled": people,
  "two_factor.recovered": sessions,
  "two_factor.recovery_codes_made": people,
  "two_factor.skew_seen": [],
  "codes.locked": people,
  "token.created": tokens,
  "token.rotated": tokens,
  "token.deleted": tokens,
  "token.tolerated": tokens,
  "clock.epoch_raised": clock,
  "clock.stepped": clock,
  "clock.set_by_hand": clock,
  "clock.source_changed": clock,
  "clock.contradicted": clock,
  "clock.panicked": clock,
  "clock.contested": clock,
  "clock.sync_requested": clock,
  "clock.reselect_requested": clock,
  "clock.floor_reset": clock,
  "update.trust_installed": updates,
  "update.trust_confirmed": updates,
  "update.root_rotated": updates,
  "update.check_requested": updates,
  "update.check_failed": updates,
  "update.check_recovered": updates,
  "update.available": updates,
  "update.staged": updates,
  "update.download_failed": updates,
  "update.apply_requested": updates,
  "update.rollback_requested": updates,
  "update.postponed": updates,
  "update.failure_dismissed": updates,
  "update.applying": updates,
  "update.applied": [...updates, "getVersion"],
  "update.undone": [...updates, "getVersion"],
  "update.refused": updates,
  "settings.changed": ["getSettings", ...clock, ...updates],
  "configuration.applied": [...sessions, ...tokens, "getSettings"],
  "host_file.read": ["getSettings", ...clock, ...updates, ...device],
  "host_file.refused": ["getHealth"],
  "https.certificate_changed": ["getHealth"],
  "https.certificate_refused": ["getHealth"],
  "host.changed": device,
  "host.reboot_requested": [],
  "host.power_off_requested": [],
  "host.reset_requested": [],
  "host.reset": device,
  "host.identity_changed": device,
  "state.damage_found": ["getHealth"],
  "state.damage_accepted": ["getHealth"],
  "need.began": [],
  "need.ended": [],
  "request.refused": [],
};

/** What is to be read anew after an event; those of a newer agent may change anything. */
export function staleAfterEvent(type: string): Reads | "all" {
  const reads = (changedBy as Readonly<Record<string, Reads | undefined>>)[type];
  return reads === undefined ? "all" : ["getStatus", "listEvents", ...reads];
}

/** What the latest events of the status have changed in so many seconds before it; where they are all of that time, anything. */
export function staleAfterLatest({ latest, server_time }: Status, seconds: number): Reads | "all" {
  const since = Date.parse(server_time) - seconds * 1_000;
  const recent = (latest ?? []).filter(({ time }) => Date.parse(time) >= since);
  if (recent.length > 0 && recent.length === latest?.length) return "all";
  const reads = recent.map(({ type }) => staleAfterEvent(type));
  return reads.includes("all") ? "all" : (reads as Reads[]).flat();
}

/** The same after progress in another phase. */
export const staleAfterPhase: Reads = ["getStatus", ...updates];

/** What has to be read anew because the status, which is read regularly, has changed without an event. */
export function staleAfterStatus(before: Status | null, after: Status): Reads {
  if (before === null) return [];
  const found = ofStatus.filter(([fact]) => JSON.stringify(fact(before)) !== JSON.stringify(fact(after)));
  return found.flatMap(([, reads]) => reads);
}

/** The clock's page looks at the clock more often than the status is read: where the two differ, the status is old. */
export function staleAfterClock(status: Status | null, { state, trust }: TimeSync): Reads {
  if (status === null || (status.clock.state === state && status.clock.trust === trust)) return [];
  return ["getStatus"];
}

/** Parts of the status that stay the same as long as nothing has happened. */
const ofStatus: readonly (readonly [fact: (status: Status) => unknown, reads: Reads])[] = [
  [({ clock: { word, state, trust, mode, source } }) => [word, state, trust, mode, source], clock],
  [({ updates }) => updates && { ...updates, summary: updates.summary.code }, updates],
  [({ people }) => people, people],
  [({ needs }) => needs.map(({ code, level }) => [code, level]), ["getHealth"]],
  [({ version, device_name }) => [version, device_name], device],
];

/** Seconds. */
const calm: Readonly<Partial<Record<OperationId, number>>> = {
  getStatus: 60,
  getTimeSync: 150,
  getSystemFacts: 300,
};

/**
 * Seconds after which a value is read anew without an event: what moves steadily, such as load and offset, and what is
 * under way. null: nothing happens to it that is not told of.
 */
export function freshSeconds<Id extends OperationId>(id: Id, value: Output<Id> | null): number | null {
  if (value !== null && isMoving(id, value)) return movingSeconds;
  return calm[id] ?? null;
}

const movingSeconds = 3;

function isMoving(id: OperationId, value: unknown): boolean {
  if (id === "getTimeSync") return (value as Output<"getTimeSync">).state === "acquiring";
  if (id !== "getUpdates") return false;
  const { progress, trial } = value as Output<"getUpdates">;
  return (progress !== null && progress.phase !== "idle") || trial !== null;
}
