import { duration } from "../durations.ts";
import { nullableTimestamp, partialObject, strictObject, timestamp } from "../shapes.ts";
import { repositoryDirectory, updateKinds } from "../update-kinds.ts";
import { listOf, pageOf } from "./lists.ts";
import { healthAnswer, trialStep, updateReason } from "./update-reasons.ts";

const nullableText = { type: ["string", "null"] } as const;

const named = {
  kind: { type: "string", enum: updateKinds },
  id: { type: "string", pattern: "^[0-9a-f]{32}$", "x-expected": "32 hexadecimal digits in lower case" },
  name: { type: "string" },
  version: { type: "string" },
} as const;

/** A release that is being applied, or undone. */
export const updateTrial = strictObject({
  ...named,
  phase: { type: "string", enum: ["installing", "confirming", "rolling_back"] },
  begun_at: timestamp,
  deadline_at: { ...nullableTimestamp, description: "by then it must be healthy, or it is undone" },
  health: strictObject({
    successes: { type: "integer", minimum: 0, description: "in a row" },
    needed: { type: "integer", minimum: 0 },
    last: healthAnswer,
  }),
  boots: { type: "integer", minimum: 0, description: "device starts during the trial" },
  crashes: { type: "integer", minimum: 0, description: "unclean exits of its service" },
  next: trialStep,
});

/** A release that is not applied again without a request, and why. */
export const setAsideRelease = strictObject({
  ...named,
  at: timestamp,
  why: {
    type: "string",
    enum: ["failed", "held", "deferred"],
    description:
      "failed: it failed on this device; held: it was rolled back or aborted; deferred: the device restarted before it was healthy",
  },
  reason: updateReason,
  until: { ...nullableTimestamp, description: "null: until a person allows it again" },
});

/** A release that failed here, and whether a person still has to see to it. */
export const failedRelease = strictObject({
  ...setAsideRelease.properties,
  state: {
    type: "string",
    enum: ["open", "dismissed", "overtaken"],
    description:
      "open: it is the need `update_failed`; dismissed: an administrator ended that; overtaken: a newer release proved healthy here",
  },
});

/** The end of an attempt to change the installed release. */
export const historyEntry = strictObject({
  sequence: { type: "integer", minimum: 1 },
  at: timestamp,
  kind: {
    type: ["string", "null"],
    enum: [null, ...updateKinds],
    description: "null: refused before its kind was known",
  },
  release_id: nullableText,
  name: nullableText,
  version: nullableText,
  from_version: { ...nullableText, description: "the version that ran before; null: unknown" },
  outcome: {
    type: "string",
    enum: ["good", "failed", "deferred", "aborted", "rolled_back", "refused"],
    description:
      "good: it proved healthy; failed: it was undone because it was not healthy; deferred: it was undone because the device restarted too often; aborted: root ended its trial; rolled_back: it was undone on request; refused: nothing was changed",
  },
  reason: updateReason,
  restored_healthy: {
    type: ["boolean", "null"],
    description: "the restored release proved healthy; null: nothing was undone",
  },
  seconds: { type: "number", minimum: 0 },
  log: {
    type: "array",
    items: { type: "string" },
    description: "the last log lines of the release that failed",
  },
});

export const updateHistory = listOf(historyEntry, "newest first");

export const historyQuery = partialObject(pageOf(200));

export const applyRequest = strictObject(
  { kind: { type: "string", enum: [...updateKinds, "all"] }, repository: repositoryDirectory },
  ["repository"],
);

export const rollbackRequest = strictObject({ kind: { type: "string", enum: updateKinds } });

export const postponeRequest = strictObject(
  {
    kind: { type: "string", enum: [...updateKinds, "all"] },
    for: { ...duration, default: "1d", description: "5m to 30d; 0s ends a postponement" },
  },
  ["for"],
);

export const dismissRequest = strictObject({ release_id: named.id });
