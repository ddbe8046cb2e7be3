import type { Range } from "../../../contract/clock/source-intervals.ts";
import type { AuditEvent, Need } from "../../../contract/types.ts";
import { toldNeedTitle } from "../../needs/need-words.ts";

/** A time in which the device needed a person, in milliseconds since 1970. */
export interface FaultSpan {
  /** null: before the events that are known. */
  readonly begin: number | null;
  /** null: it lasts. */
  readonly end: number | null;
}

/** One thing that needed a person, as often as it did. */
export interface Fault {
  readonly title: string;
  readonly level: Need["level"];
  /** The oldest first. */
  readonly spans: readonly FaultSpan[];
}

/** The events that are ticks on the axis, by the row that they are in. */
export const tickTypes = {
  updates: ["update.applied", "update.undone", "update.refused"],
  restarts: ["host.reboot_requested", "host.power_off_requested"],
  refused: ["sign_in.refused"],
  clock: ["clock.stepped", "clock.set_by_hand", "clock.contested"],
} as const;

export type TickRow = keyof typeof tickTypes;

export const timeOfEvent = ({ time }: AuditEvent): number => Date.parse(time);

/** The ticks of each row that has any in this time, the oldest first. */
export function ticksOf(events: readonly AuditEvent[], time: Range): (readonly [TickRow, AuditEvent[]])[] {
  const rows = Object.keys(tickTypes) as TickRow[];
  return rows
    .map((row) => {
      const types: readonly string[] = tickTypes[row];
      return [row, events.filter((event) => types.includes(event.type) && isWithin(event, time))] as const;
    })
    .filter(([, ticks]) => ticks.length > 0);
}

/** The events within so many milliseconds of a time, the oldest first. */
export function eventsNear(events: readonly AuditEvent[], at: number, reach: number): AuditEvent[] {
  return events.filter((event) => isShownEvent(event) && Math.abs(timeOfEvent(event) - at) <= reach);
}

/** True of events that the page draws. */
export function isShownEvent({ type }: AuditEvent): boolean {
  return (
    /^need\./.test(type) || Object.values<readonly string[]>(tickTypes).some((one) => one.includes(type))
  );
}

function isWithin(event: AuditEvent, { low, high }: Range): boolean {
  const at = timeOfEvent(event);
  return at >= low && at <= high;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Facts that tell two needs of one code apart, as the agent does (system/need-watch). */
const telling = ["need", "level", "reason", "kind", "name", "version"] as const;

/**
 * The things that needed a person at this time, those that fail first, then those that began last. Of needs that began
 * before the events that are known, only those that fail are named: the others may be mere advice.
 */
export function faultsOf(events: readonly AuditEvent[], needs: readonly Need[], time: Range): Fault[] {
  const faults = new Map<string, Omit<Fault, "spans"> & { spans: Mutable<FaultSpan>[] }>();
  for (const event of events) {
    if (event.type !== "need.began" && event.type !== "need.ended") continue;
    const { details } = event;
    const key = telling.map((name) => details[name] ?? "").join(" ");
    const level = details.level === "failing" ? "failing" : "attention";
    const fault = faults.get(key) ?? { title: toldNeedTitle(details), level, spans: [] };
    faults.set(key, fault);
    const last = fault.spans.at(-1);
    if (event.type === "need.began") fault.spans.push({ begin: timeOfEvent(event), end: null });
    else if (last?.end === null) last.end = timeOfEvent(event);
    else if (last === undefined) fault.spans.push({ begin: null, end: timeOfEvent(event) });
  }
  for (const { code, level, facts } of needs) {
    const details = { need: code, level, ...facts };
    const key = telling.map((name) => (details as Readonly<Record<string, unknown>>)[name] ?? "").join(" ");
    if (level !== "failing" || faults.has(key)) continue;
    faults.set(key, { title: toldNeedTitle(details), level, spans: [{ begin: null, end: null }] });
  }
  return [...faults.values()]
    .map((fault) => ({ ...fault, spans: fault.spans.filter((span) => meets(span, time)) }))
    .filter(({ spans }) => spans.length > 0)
    .sort(byGravity);
}

function meets({ begin, end }: FaultSpan, { low, high }: Range): boolean {
  return (begin ?? low) <= high && (end ?? high) >= low;
}

function byGravity(one: Fault, other: Fault): number {
  const begin = ({ spans }: Fault): number => spans.at(-1)?.begin ?? 0;
  if (one.level !== other.level) return one.level === "failing" ? -1 : 1;
  return begin(other) - begin(one);
}
