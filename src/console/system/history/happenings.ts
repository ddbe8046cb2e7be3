import type { Range } from "../../../contract/clock/source-intervals.ts";
import type { AuditEvent, Need } from "../../../contract/types.ts";
import { locale } from "../../catalogue/words.ts";
import { eventLines } from "../../home/event-words.ts";
import { needTitleOf } from "../../needs/need-words.ts";

/** One thing that needed a person, as often as it did, the oldest first; without an end where one is not known. */
export interface Fault {
  readonly title: string;
  readonly level: Need["level"];
  readonly spans: Range[];
}

const tickTypes = {
  updates: ["update.applied", "update.undone", "update.refused"],
  restarts: ["host.reboot_requested", "host.power_off_requested"],
  refused: ["sign_in.refused"],
  clock: ["clock.stepped", "clock.set_by_hand", "clock.contested"],
} as const;

export const timeOfEvent = ({ time }: AuditEvent): number => Date.parse(time);

/** True of events that the page draws. */
export function isShownEvent({ type }: AuditEvent): boolean {
  return /^need\./.test(type) || Object.values<readonly string[]>(tickTypes).flat().includes(type);
}

/** The ticks of each row that has any in this time, the oldest first. */
export function ticksOf(events: readonly AuditEvent[], time: Range) {
  const within = eventsIn(events, time);
  return Object.entries<readonly string[]>(tickTypes)
    .map(
      ([row, types]) =>
        [row as keyof typeof tickTypes, within.filter(({ type }) => types.includes(type))] as const,
    )
    .filter(([, ticks]) => ticks.length > 0);
}

/** Sentences on the events of a time, each with its own time of day, the newest first. */
export function happenedIn(events: readonly AuditEvent[], time: Range): string[] {
  const timeOf = (at: string) => new Date(at).toLocaleTimeString(locale, { timeStyle: "short" });
  return eventLines(eventsIn(events, time).reverse()).map(({ time, text }) => `${timeOf(time)} ${text}`);
}

function eventsIn(events: readonly AuditEvent[], { low, high }: Range): AuditEvent[] {
  return events.filter((event) => timeOfEvent(event) >= low && timeOfEvent(event) <= high);
}

/** Facts that tell two needs of one code apart, as the agent does (system/need-watch). */
const telling = ["need", "level", "reason", "kind", "name", "version"] as const;

const always: Range = { low: -Infinity, high: Infinity };

/** The things that needed a person then, failing first. Of needs from before the known events only failing ones. */
export function faultsOf(events: readonly AuditEvent[], needs: readonly Need[], time: Range): Fault[] {
  const faults = new Map<string, Fault>();
  const faultOf = (details: AuditEvent["details"]) => {
    const key = telling.map((name) => details[name] ?? "").join(" ");
    const level = details.level === "failing" ? "failing" : "attention";
    const fault = faults.get(key) ?? { title: needTitleOf(details), level, spans: [] };
    faults.set(key, fault);
    return fault;
  };
  for (const event of events) {
    if (event.type !== "need.began" && event.type !== "need.ended") continue;
    const { spans } = faultOf(event.details);
    const at = timeOfEvent(event);
    if (event.type === "need.began") spans.push({ low: at, high: Infinity });
    else if ((spans.at(-1) ?? always).high === Infinity) spans.push({ ...(spans.pop() ?? always), high: at });
  }
  for (const { code, level, facts } of needs.filter(({ level }) => level === "failing")) {
    const { spans } = faultOf({ need: code, level, ...facts });
    if (spans.length === 0) spans.push(always);
  }
  const begin = ({ spans }: Fault) => spans.at(-1)?.low ?? 0;
  const gravity = ({ level }: Fault) => (level === "failing" ? 0 : 1);
  return [...faults.values()]
    .map((fault) => ({
      ...fault,
      spans: fault.spans.filter(({ low, high }) => low <= time.high && high >= time.low),
    }))
    .filter(({ spans }) => spans.length > 0)
    .sort((one, other) => gravity(one) - gravity(other) || begin(other) - begin(one));
}
