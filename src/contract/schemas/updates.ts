import { errorCodes } from "../error-codes.ts";
import { nullableTimestamp, timestamp } from "../shapes.ts";
import { repositoryDirectory, updateKinds } from "../update-kinds.ts";
import { setAsideRelease, updateTrial } from "./update-applying.ts";
import { passedOverCounts, passedOverList } from "./update-passed-over.ts";
import { updateTrust } from "./update-trust.ts";

const updateStates = [
  "idle",
  "blocked",
  "checking",
  "available",
  "downloading",
  "staged",
  "waiting_for_clock",
  "waiting_for_window",
  "verifying",
  "installing",
  "confirming",
  "rolling_back",
  "good",
  "rolled_back",
] as const;

const nullableText = { type: ["string", "null"] } as const;
const bytes = { type: "integer", minimum: 0 } as const;

/** Something that the repository offers and this device may take. */
export const release = {
  type: "object",
  additionalProperties: false,
  required: [
    "id",
    "kind",
    "name",
    "version",
    "channel",
    "length_bytes",
    "notes",
    "urgent",
    "path",
    "due_at",
    "hindrance",
    "staged",
  ],
  properties: {
    id: {
      type: "string",
      pattern: "^[0-9a-f]{32}$",
      "x-expected": "32 hexadecimal digits in lower case",
      description: "the first 128 bits of its SHA-512, else of its SHA-256",
    },
    kind: { type: "string", enum: updateKinds },
    name: { type: "string", description: "of the rules, or of the product" },
    version: { type: "string", description: "semantic version" },
    channel: { type: "string" },
    length_bytes: bytes,
    notes: { type: "string", description: "of the publisher, for people" },
    urgent: { type: "boolean", description: "waits for no wave and no window" },
    path: { type: "string", description: "its TUF target path" },
    due_at: { ...nullableTimestamp, description: "when this device's wave comes; null: at once" },
    hindrance: { ...nullableText, description: "why it does not go on by itself, in words; null: nothing" },
    staged: { type: "boolean", description: "the verified payload lies on this device" },
  },
} as const;

const nullableRelease = { oneOf: [{ type: "null" }, release] } as const;

/** How far an update is; sent on the event stream as it moves, and not kept. */
export const updateProgress = {
  type: "object",
  additionalProperties: false,
  required: ["phase", "release_id", "name", "done_bytes", "total_bytes"],
  properties: {
    phase: {
      type: "string",
      enum: ["checking", "downloading", "verifying", "installing", "confirming", "rolling_back", "idle"],
      description: "of applying, trial in the status says more",
    },
    release_id: nullableText,
    name: nullableText,
    done_bytes: bytes,
    total_bytes: { type: ["integer", "null"], minimum: 0 },
  },
} as const;

const lastCheck = {
  type: ["object", "null"],
  additionalProperties: false,
  required: ["at", "outcome", "code", "detail", "requests", "body_bytes"],
  properties: {
    at: timestamp,
    outcome: { type: "string", enum: ["ok", "failed", "waiting_for_clock"] },
    code: { type: ["string", "null"], enum: [null, ...Object.keys(errorCodes)] },
    detail: nullableText,
    requests: { type: "integer", minimum: 0 },
    body_bytes: { ...bytes, description: "of all answers together" },
  },
} as const;

const blocker = {
  type: ["object", "null"],
  additionalProperties: false,
  required: ["code", "detail"],
  properties: {
    code: { type: "string", enum: Object.keys(errorCodes) },
    detail: { type: "string", description: "the reason, and the next step" },
  },
} as const;

export const updates = {
  type: "object",
  additionalProperties: false,
  required: [
    "state",
    "message",
    "channel",
    "product",
    "installed",
    "available",
    "trust",
    "progress",
    "schedule",
    "trial",
    "failed",
    "held",
    "postponed",
  ],
  properties: {
    state: { type: "string", enum: updateStates },
    message: {
      type: "string",
      description: "one sentence: how it is, and what to do if something is to be done",
    },
    channel: { type: "string" },
    product: { type: "string", description: "what this device runs, as the host file names it" },
    installed: {
      type: "object",
      additionalProperties: false,
      required: ["rules", "binary"],
      properties: {
        rules: { ...nullableText, description: "version; null: none that is known here" },
        binary: { ...nullableText, description: "version; null: none that is known here" },
      },
    },
    available: {
      type: "object",
      additionalProperties: false,
      required: ["rules", "binary"],
      properties: { rules: nullableRelease, binary: nullableRelease },
    },
    blockers: {
      type: "object",
      additionalProperties: false,
      required: ["rules", "binary"],
      description:
        "why the last check could not judge a kind: nothing of it is fetched or applied, and the other kind goes on; null: nothing",
      properties: { rules: blocker, binary: blocker },
    },
    passed_over: passedOverList,
    passed_over_counts: passedOverCounts,
    trial: { oneOf: [{ type: "null" }, updateTrial] },
    failed: { type: "array", items: setAsideRelease, description: "never taken again by itself" },
    held: {
      type: "array",
      items: setAsideRelease,
      description: "rolled back by somebody, or deferred: not taken by itself",
    },
    postponed: {
      type: "object",
      additionalProperties: false,
      required: ["rules", "binary"],
      description: "until when what is available is not applied unasked; null: not postponed",
      properties: { rules: nullableTimestamp, binary: nullableTimestamp },
    },
    trust: updateTrust,
    progress: { oneOf: [{ type: "null" }, updateProgress] },
    schedule: {
      type: "object",
      additionalProperties: false,
      required: [
        "enabled",
        "server",
        "next_check_at",
        "last_check",
        "last_success_at",
        "failures",
        "window_open",
      ],
      properties: {
        enabled: { type: "boolean" },
        server: { type: "string", description: "hidden from readonly" },
        next_check_at: nullableTimestamp,
        last_check: lastCheck,
        last_success_at: nullableTimestamp,
        failures: { type: "integer", minimum: 0, description: "checks in a row that failed" },
        window_open: { type: "boolean", description: "update.windows lets updates be applied now" },
      },
    },
  },
} as const;

export const checkRequest = {
  type: "object",
  additionalProperties: false,
  properties: {
    repository: repositoryDirectory,
  },
} as const;
