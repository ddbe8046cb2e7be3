import type { EventGroup } from "../../../../contract/event-records.ts";
import { eventTitles } from "../../../../contract/words/en/events.ts";
import { listWords } from "./copied/lists.ts";

export const lists = listWords;

export const events = {
  titles: eventTitles,
  type: "What",
  who: "Who",
  outcome: "Outcome",
  refused: "Refused",
  overTime: "Events over time",
  atMost: (count: string) => `up to ${count}`,
  barKeys: "The arrow keys go from bar to bar; a click on one shows only events of its time.",
  onlyThese: "Show only these",
  barOf: (time: string, count: number, refused: number) =>
    `${time}: ${count} ${count === 1 ? "event" : "events"}${refused > 0 ? `, ${refused} refused` : ""}`,
  earlier: "Earlier",
  later: "Later",
  wholeTime: "Show all times",
  setBack: (span: string) => `Here the clock was set back, by ${span} at least`,
  groups: {
    sign_in: "Sign-in",
    users: "Users",
    clock: "Clock",
    updates: "Updates",
    settings: "Settings",
    device: "Device",
    requests: "Requests",
    product: "Product",
  } satisfies Record<EventGroup, string>,
  total: (count: number, lines: number) =>
    `${count} ${count === 1 ? "event" : "events"}${lines < count ? ` on ${lines} ${lines === 1 ? "line" : "lines"}` : ""}`,
  empty: "No event matches these filters.",
};
