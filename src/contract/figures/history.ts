import { partialObject, strictObject, timestamp } from "../shapes.ts";

/** The figures that the history has of each five minutes, in the order in which they are stored and shown. */
export const historySeriesNames = [
  "clock_offset_seconds",
  "clock_uncertainty_seconds",
  "disk_used_ratio",
  "memory_used_ratio",
  "load",
  "temperature_celsius",
] as const;

/** The spans that can be asked for: a day and all that is kept, in hours. */
export const historySpans = [24, 168] as const;

/** The lengths of a step that can be asked for, in seconds: the one that is kept, and one by which a week is 30 KB. */
export const historySteps = [300, 1_800] as const;

const figures = { type: "array", items: { type: ["number", "null"] } } as const;

const series = {
  description: "a figure a step; null: not known",
  ...strictObject({ mean: figures, worst: figures }),
} as const;

export const history = strictObject({
  start: { ...timestamp, description: "of the first step" },
  step_seconds: { type: "integer" },
  series: strictObject({
    clock_offset_seconds: series,
    clock_uncertainty_seconds: series,
    disk_used_ratio: series,
    memory_used_ratio: series,
    load: series,
    temperature_celsius: series,
  }),
});

export const historyQuery = partialObject({
  hours: { type: "integer", enum: historySpans, default: 24 },
  step_seconds: { type: "integer", enum: historySteps, default: 300 },
});

/** The names of these shapes in the OpenAPI document. */
export const historyShapes = () => ({ History: history, HistorySeries: series }) as const;
