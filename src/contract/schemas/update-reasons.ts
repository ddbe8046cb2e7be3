import { type ErrorCode, errorCodes } from "../error-codes.ts";
import { nullableTimestamp, partialObject, strictObject, timestamp } from "../shapes.ts";
import { updateKinds } from "../update-kinds.ts";
import { holdCodes } from "../updates/update-holds.ts";
import {
  type BlockingHoldCode,
  blockingHolds,
  otherUpdateProblems,
  type UpdateProblemCode,
  type UpdateSummaryCode,
  updateSummaries,
} from "../updates/update-summaries.ts";

const nullableText = { type: ["string", "null"] } as const;
const detail = { type: "string", description: "the same in an English sentence" } as const;

/** The reasons for the end of an attempt to change the installed release. */
export const outcomeCodes = [
  "healthy",
  "confirmed_by_root",
  "unclean_exits",
  "not_healthy_in_time",
  "activation_failed",
  "configuration_removed",
  "restarts",
  "aborted_by_root",
  "overtaken",
  "rolled_back",
  "interrupted",
  "unrecorded",
] as const;

/** The reason of a refusal is an error code. */
export const reasonCodes: readonly ((typeof outcomeCodes)[number] | ErrorCode)[] = [
  ...outcomeCodes,
  ...(Object.keys(errorCodes) as ErrorCode[]),
];

export const trustCodes = [
  "not_installed",
  "unusable",
  "not_confirmed",
  "server_not_set",
  "not_proven",
  "established",
] as const;

export const summaryCodes = Object.keys(updateSummaries) as readonly UpdateSummaryCode[];

export const trialStepCodes = ["activate", "watch", "collect_answers", "restore", "watch_former"] as const;

/** The problems of updates, the gravest first: a device that does not work is worse than one without updates. */
export const updateProblemCodes: readonly UpdateProblemCode[] = [
  ...otherUpdateProblems.slice(0, 1),
  ...(Object.keys(blockingHolds) as BlockingHoldCode[]),
  ...otherUpdateProblems.slice(1),
];

/** The reason for the end of an attempt: an outcome code, or the error code of a refusal. */
export const updateReason = strictObject({
  code: {
    type: "string",
    enum: reasonCodes,
    description: "an error code: of what was refused; unrecorded: an older release wrote no code",
  },
  detail,
  count: { type: ["integer", "null"], description: "unclean exits, or restarts of the device" },
  last_answer: { ...nullableText, description: "what the last health check answered" },
});

const nullableReason = { oneOf: [{ type: "null" }, updateReason] } as const;

/** Facts that a sentence names besides; which of them there are depends on the code. */
const facts = partialObject({
  channel: { type: "string" },
  allowed_channels: { type: "array", items: { type: "string" } },
  in_progress: { type: "string" },
});

/** The reason why a release is not fetched or applied without a request. */
export const hold = {
  description: "why it is not fetched or applied without a request; null: it is",
  ...strictObject(
    {
      code: { type: "string", enum: holdCodes },
      detail,
      until: { ...nullableTimestamp, description: "when it ends; null: at no known time" },
      setting: { ...nullableText, description: "the setting that decides it, as a JSON pointer" },
      reason: { ...nullableReason, description: "what went wrong" },
      facts,
    },
    ["facts"],
  ),
  type: ["object", "null"],
} as const;

const releaseName = strictObject({
  kind: { type: ["string", "null"], enum: [null, ...updateKinds] },
  name: nullableText,
  version: nullableText,
});

export const updateProblem = strictObject(
  {
    code: { type: "string", enum: updateProblemCodes },
    detail,
    release: { oneOf: [{ type: "null" }, releaseName] },
    reason: nullableReason,
    failures: { type: ["integer", "null"], description: "checks in a row that failed" },
    until: { ...nullableTimestamp, description: "when it is tried again; null: at no known time" },
    at: timestamp,
    facts,
  },
  ["at", "facts"],
);

export const updateSummary = strictObject({
  code: { type: "string", enum: summaryCodes },
  detail: { type: "string", description: "in English: how it is, and what to do" },
  releases: { type: "array", items: releaseName, description: "what the code is about" },
  at: { ...nullableTimestamp, description: "when the last check, or the last attempt, ended" },
  reason: { ...nullableReason, description: "why the check failed, or the release was undone" },
  hold,
  problem: {
    oneOf: [{ type: "null" }, updateProblem],
    description: "what went wrong with the last request; null: nothing",
  },
});

export const trustStatus = {
  description: "whether the root of trust can be used; if not, why, and what to do",
  ...strictObject({
    code: { type: "string", enum: trustCodes },
    detail,
    reason: { ...nullableReason, description: "why the installed root cannot be used" },
  }),
} as const;

export const healthAnswer = {
  description: "null: none was made yet",
  ...strictObject({
    code: { type: "string", enum: ["healthy", "not_healthy"] },
    detail: { type: "string", description: "what was asked, and what it answered" },
    at: timestamp,
  }),
  type: ["object", "null"],
} as const;

export const trialStep = {
  description: "what happens next",
  ...strictObject({
    code: { type: "string", enum: trialStepCodes },
    detail,
    answers_left: {
      type: ["integer", "null"],
      description: "healthy answers that are still needed, of `collect_answers`",
    },
    until: { ...nullableTimestamp, description: "by when they must have come" },
    reason: { ...nullableReason, description: "why it is undone" },
  }),
} as const;
