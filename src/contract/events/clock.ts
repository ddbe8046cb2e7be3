import { timestamp } from "../shapes.ts";
import { type EventRows, flag, nullableNumber, nullableText, number, operations, text } from "./row.ts";

/** The clock. */
export const clockEvents = {
  "clock.epoch_raised": { ...operations, stale: ["clock"], details: { step_seconds: number } },
  "clock.stepped": { ...operations, stale: ["clock"], details: { seconds: number } },
  "clock.set_by_hand": { ...operations, stale: ["clock"], details: { before: timestamp, after: timestamp } },
  "clock.source_changed": {
    ...operations,
    stale: ["clock"],
    details: { from: nullableText, to: nullableText },
  },
  "clock.contradicted": {
    ...operations,
    stale: ["clock"],
    details: { source: text, offset_seconds: nullableNumber },
  },
  "clock.panicked": { ...operations, stale: ["clock"], details: { offset_seconds: number } },
  "clock.contested": { ...operations, stale: ["clock"], details: { conflict: nullableText } },
  "clock.sync_requested": { ...operations, stale: ["clock"], details: { force: flag } },
  "clock.reselect_requested": { ...operations, stale: ["clock"], details: {} },
  "clock.floor_reset": { ...operations, stale: ["clock"], details: { before: timestamp, after: timestamp } },
} as const satisfies EventRows;
