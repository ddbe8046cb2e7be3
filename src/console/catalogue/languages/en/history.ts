import { lag } from "../../../../contract/words/en/clock.ts";

export const history = {
  title: "History",
  spans: { day: "24 hours", week: "7 days" },
  span: "Span of time",
  time: "Time",
  hint: "Move over the plots, or use the arrow keys here, to read the figures of a time.",
  plots: {
    clock: "Clock",
    disk: "Disk in use",
    memory: "Memory in use",
    load: "Load",
    temperature: "Temperature",
  },
  lag,
  upTo: (figure: string) => `up to ${figure}`,
  highest: (figure: string, when: string) => `highest ${figure}, ${when}`,
  farthest: (figure: string, when: string) => `farthest ${figure}, ${when}`,
  week: {
    highest: (figure: string, day: string) => `highest ${figure} ${day}`,
    farthest: (figure: string, day: string) => `up to ${figure} ${day}`,
    on: (weekday: string) => `on ${weekday}`,
    full: (days: number) => `full in about ${days === 1 ? "a day" : `${days} days`}`,
    none: "No readings yet.",
  },
  unknown: "no reading",
  none: "The first readings are here after five minutes.",
  legend:
    "The lighter line is the worst reading of each five minutes; the band is the clock's uncertainty. An upright line is where something began to need attention.",
  gaps: "Where the ground is shaded there are no readings: the device was off, or not yet in use.",
  noFaults: "Nothing needed attention.",
  since: (begin: string) => `since ${begin}`,
  sinceBefore: "since before this time",
  until: (end: string) => `until ${end}`,
  fromTo: (begin: string, end: string, span: string) => `${begin} to ${end} (${span})`,
  times: (count: number, last: string) => `${count} ×, last: ${last}`,
  ticks: {
    updates: "Updates",
    restarts: "Restarts",
    refused: "Refused sign-ins",
    clock: "Clock set",
  },
  events: "All events",
  tooMany: (when: string) =>
    `There are more events than this page reads: those before ${when} may be missing.`,
  table: "As a table",
  happened: "What happened",
};
