import { type EventGroup, eventGroups } from "../../../contract/event-records.ts";
import { type EventType, eventTypes } from "../../../contract/event-types.ts";
import type { Input } from "../../../contract/types.ts";
import { navigate, type Place, place } from "../../navigation/navigation.ts";

export type EventQuery = NonNullable<Input<"listEvents">["query"]>;

/** Who may have done something, as the address and the agent name it. */
export const actorKinds = ["user", "token", "local-root", "agent", "anonymous"] as const;

/** The most of a name that is looked for, in characters; the agent takes no more. */
export const longestName = 64;

const isGroup = (text: string): text is EventGroup => Object.hasOwn(eventGroups, text);
const isType = (text: string): text is EventType => Object.hasOwn(eventTypes, text);

/** What the address asks the agent for; what it does not understand is left out. A group stands where a type may. */
export function eventsQuery({ type, who, name, outcome, since, until }: Place["query"]): EventQuery {
  const kind = actorKinds.find((one) => one === who);
  return {
    ...(type && isGroup(type) && { group: type }),
    ...(type && isType(type) && { type }),
    ...(kind && { actor_kind: kind }),
    ...(name && { name: name.slice(0, longestName) }),
    ...((outcome === "success" || outcome === "refused") && { outcome }),
    ...(since && { since }),
    ...(until && { until }),
  };
}

/** Puts something else into the address of this page; an empty text takes it out. */
export function changeEventsQuery(change: Readonly<Record<string, string>>, replace = false): void {
  const { path, query } = place.read();
  void navigate(path, { ...query, ...change }, { replace });
}
