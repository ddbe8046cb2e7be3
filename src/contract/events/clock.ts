import { timestamp } from "../shapes.ts";
import { type EventRows, flag, nullableNumber, nullableText, number, text, unheard } from "./row.ts";

export const clockEvents = {
  "clock.epoch_raised": unheard(["clock"], { step_seconds: number }),
  "clock.stepped": unheard(["clock"], { seconds: number }),
  "clock.set_by_hand": unheard(["clock"], { before: timestamp, after: timestamp }),
  "clock.source_changed": unheard(["clock"], { from: nullableText, to: nullableText }),
  "clock.contradicted": unheard(["clock"], { source: text, offset_seconds: nullableNumber }),
  "clock.panicked": unheard(["clock"], { offset_seconds: number }),
  "clock.contested": unheard(["clock"], { conflict: nullableText }),
  "clock.sync_requested": unheard(["clock"], { force: flag }),
  "clock.reselect_requested": unheard(["clock"], {}),
  "clock.floor_reset": unheard(["clock"], { before: timestamp, after: timestamp }),
} as const satisfies EventRows;
