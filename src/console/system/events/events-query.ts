import { type EventGroup, eventGroups } from "../../../contract/event-records.ts";
import { type EventType, eventTypes } from "../../../contract/event-types.ts";
import type { Input } from "../../../contract/types.ts";
import { navigate, type Place, place } from "../../navigation/navigation.ts";

export type EventQuery = NonNullable<Input<"listEvents">["query"]>;

export const actorKinds = ["user", "token", "local-root", "agent", "product", "anonymous"] as const;

/** The most of a name that is looked for, in characters; the agent takes no more. */
export const longestName = 64;

const isGroup = (text: string): text is EventGroup => Object.hasOwn(eventGroups, text);
const isType = (text: string): text is EventType => Object.hasOwn(eventTypes, text);

/** Turns the address into a query for the agent, without members that neither knows. A group may take a type's place. */
export function eventsQuery({ type, who, name, outcome, since, until }: Place["query"]): EventQuery {
  const kind = actorKinds.find((one) => one === who);
  return {
    ...(type && isGroup(type) && { group: type }),
    ...(type && isType(type) && { type }),
    ...(kind && { actor_kind: kind }),
    ...(name && { name: name.slice(0, longestName) }),
    ...(outcome === "refused" && { outcome }),
    ...(since && { since }),
    ...(until && { until }),
  };
}

/** Puts something else into the address of this page; an empty text takes it out. */
export function changeEventsQuery(change: Readonly<Record<string, string>>, replace = false): void {
  const { path, query } = place.read();
  void navigate(path, { ...query, ...change }, { replace });
}
