import { duration } from "../durations.ts";
import { nullableTimestamp, timestamp } from "../shapes.ts";
import { repositoryDirectory, updateKinds } from "../update-kinds.ts";
import { listOf, pageOf } from "./lists.ts";

const nullableText = { type: ["string", "null"] } as const;

/** What a release is called, wherever one is named. */
const named = {
  kind: { type: "string", enum: updateKinds },
  id: {
    type: "string",
    pattern: "^[0-9a-f]{32}$",
    "x-expected": "32 hexadecimal digits in lower case",
  },
  name: { type: "string" },
  version: { type: "string" },
} as const;

/** A release that is being applied, or undone. */
export const updateTrial = {
  type: "object",
  additionalProperties: false,
  required: [
    "kind",
    "id",
    "name",
    "version",
    "phase",
    "begun_at",
    "deadline_at",
    "health",
    "boots",
    "crashes",
    "next",
  ],
  properties: {
    ...named,
    phase: { type: "string", enum: ["installing", "confirming", "rolling_back"] },
    begun_at: timestamp,
    deadline_at: { ...nullableTimestamp, description: "by then it has to be healthy, or is undone" },
    health: {
      type: "object",
      additionalProperties: false,
      required: ["successes", "needed", "last", "at"],
      properties: {
        successes: { type: "integer", minimum: 0, description: "in a row" },
        needed: { type: "integer", minimum: 0 },
        last: { ...nullableText, description: "the last answer, in words; null: none was asked for yet" },
        at: nullableTimestamp,
      },
    },
    boots: { type: "integer", minimum: 0, description: "in which it has been tried" },
    crashes: { type: "integer", minimum: 0, description: "exits that were not clean" },
    next: { type: "string", description: "what happens next, in a sentence" },
  },
} as const;

/** A release that is not taken by itself again, and why. */
export const setAsideRelease = {
  type: "object",
  additionalProperties: false,
  required: ["kind", "id", "name", "version", "at", "why", "reason", "until"],
  properties: {
    ...named,
    at: timestamp,
    why: {
      type: "string",
      enum: ["failed", "held", "deferred"],
      description: "it failed here; somebody rolled it back; its boots ended before it was healthy",
    },
    reason: { type: "string" },
    until: { ...nullableTimestamp, description: "null: for good" },
  },
} as const;

/** What became of an attempt to change what is installed. */
export const historyEntry = {
  type: "object",
  additionalProperties: false,
  required: [
    "sequence",
    "at",
    "kind",
    "release_id",
    "name",
    "version",
    "from_version",
    "outcome",
    "detail",
    "restored_healthy",
    "seconds",
    "log",
  ],
  properties: {
    sequence: { type: "integer", minimum: 1 },
    at: timestamp,
    kind: {
      type: ["string", "null"],
      enum: [null, ...updateKinds],
      description: "null: refused before it was known",
    },
    release_id: nullableText,
    name: nullableText,
    version: nullableText,
    from_version: { ...nullableText, description: "what ran before; null: nothing that is known" },
    outcome: {
      type: "string",
      enum: ["good", "failed", "deferred", "aborted", "rolled_back", "refused"],
      description:
        "good: it proved healthy; failed, deferred, aborted: it was undone by itself, for its boots, by root; rolled_back: somebody undid it; refused: nothing was changed",
    },
    detail: { type: "string", description: "why, in a sentence" },
    restored_healthy: {
      type: ["boolean", "null"],
      description: "after an undoing: the former release proved healthy; null: nothing was undone",
    },
    seconds: { type: "number", minimum: 0 },
    log: { type: "array", items: { type: "string" }, description: "the last lines of what failed" },
  },
} as const;

export const updateHistory = listOf(historyEntry, "newest first");

export const historyQuery = {
  type: "object",
  additionalProperties: false,
  properties: pageOf(200),
} as const;

export const applyRequest = {
  type: "object",
  additionalProperties: false,
  required: ["kind"],
  properties: {
    kind: { type: "string", enum: [...updateKinds, "all"] },
    repository: repositoryDirectory,
  },
} as const;

export const rollbackRequest = {
  type: "object",
  additionalProperties: false,
  required: ["kind"],
  properties: { kind: { type: "string", enum: updateKinds } },
} as const;

export const postponeRequest = {
  type: "object",
  additionalProperties: false,
  required: ["kind"],
  properties: {
    kind: { type: "string", enum: [...updateKinds, "all"] },
    for: {
      ...duration,
      default: "1d",
      description: "5m to 30d, in which it is not applied unasked",
    },
  },
} as const;
