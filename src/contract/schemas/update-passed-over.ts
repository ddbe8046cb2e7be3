import { strictObject } from "../shapes.ts";
import { updateKinds } from "../update-kinds.ts";

const nullableText = { type: ["string", "null"] } as const;

/** The reasons why a release on offer is not for this device; the meaning of `offered` and `here` depends on them. */
export const passedOverCodes = [
  "withdrawn",
  "below_floor",
  "needs_newer_agent",
  "failed",
  "held",
  "unreadable",
  "other_channel",
  "other_arch",
  "other_product",
  "not_newer",
] as const;

/** A release that the last check found and did not choose. */
export const passedOver = strictObject({
  code: { type: "string", enum: passedOverCodes },
  kind: { type: ["string", "null"], enum: [null, ...updateKinds], description: "null: it cannot be read" },
  name: nullableText,
  version: nullableText,
  path: { type: "string", description: "its TUF target path" },
  offered: {
    ...nullableText,
    description: "its channel, architecture or product, or the agent that it needs",
  },
  here: {
    ...nullableText,
    description:
      "what this device has instead: channel, architecture, product, agent, installed version, or the lowest version allowed",
  },
  detail: { ...nullableText, description: "the publisher's reason, or what cannot be read" },
});

export const mostPassedOver = 16;

export const passedOverList = {
  type: "array",
  maxItems: mostPassedOver,
  items: passedOver,
  description:
    "releases that the last check did not choose, and a withdrawn one that is installed, the most important first; of those for other devices and of older ones only the newest",
} as const;

const count = { type: "integer", minimum: 0 } as const;

export const passedOverCounts = {
  ...strictObject({
    withdrawn: count,
    below_floor: count,
    needs_newer_agent: count,
    failed: count,
    held: count,
    unreadable: count,
    other_channel: count,
    other_arch: count,
    other_product: count,
    not_newer: count,
  }),
  description:
    "how many the last check did not choose, by reason; of other channels and processors only newer ones, of other channels 256 of each kind at most",
} as const;
