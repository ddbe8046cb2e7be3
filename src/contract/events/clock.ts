import { timestamp } from "../shapes.ts";
import { type EventRows, flag, nullableNumber, nullableText, number, text, unheard } from "./row.ts";

/** The clock, whose troubles are needs. */
export const clockEvents = {
  "clock.epoch_raised": { ...unheard, stale: ["clock"], details: { step_seconds: number } },
  "clock.stepped": { ...unheard, stale: ["clock"], details: { seconds: number } },
  "clock.set_by_hand": { ...unheard, stale: ["clock"], details: { before: timestamp, after: timestamp } },
  "clock.source_changed": { ...unheard, stale: ["clock"], details: { from: nullableText, to: nullableText } },
  "clock.contradicted": {
    ...unheard,
    stale: ["clock"],
    details: { source: text, offset_seconds: nullableNumber },
  },
  "clock.panicked": { ...unheard, stale: ["clock"], details: { offset_seconds: number } },
  "clock.contested": { ...unheard, stale: ["clock"], details: { conflict: nullableText } },
  "clock.sync_requested": { ...unheard, stale: ["clock"], details: { force: flag } },
  "clock.reselect_requested": { ...unheard, stale: ["clock"], details: {} },
  "clock.floor_reset": { ...unheard, stale: ["clock"], details: { before: timestamp, after: timestamp } },
} as const satisfies EventRows;
