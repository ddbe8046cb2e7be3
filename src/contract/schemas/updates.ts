import { type ErrorCode, errorCodes } from "../error-codes.ts";
import { nullableTimestamp, partialObject, strictObject, timestamp } from "../shapes.ts";
import { repositoryDirectory, updateKinds } from "../update-kinds.ts";
import {
  applyRequest,
  dismissRequest,
  failedRelease,
  historyEntry,
  postponeRequest,
  rollbackRequest,
  setAsideRelease,
  updateHistory,
  updateTrial,
} from "./update-applying.ts";
import { passedOver, passedOverCounts, passedOverList } from "./update-passed-over.ts";
import { hold, updateProblem, updateReason, updateSummary } from "./update-reasons.ts";
import { trustRequest, updateTrust } from "./update-trust.ts";

export const updateStates = [
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

export const checkOutcomes = ["ok", "failed", "waiting_for_clock"] as const;

const nullableText = { type: ["string", "null"] } as const;
const bytes = { type: "integer", minimum: 0 } as const;

/** A release that the repository offers and this device may install. */
export const release = strictObject(
  {
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
    more_notes: {
      type: "array",
      items: { type: "string" },
      description: "further lines of the notes, as Markdown; absent: there are none",
    },
    urgent: { type: "boolean", description: "not held by waves or update windows" },
    path: { type: "string", description: "its TUF target path" },
    due_at: { ...nullableTimestamp, description: "when the wave reaches this device; null: at once" },
    hold,
    staged: { type: "boolean", description: "its verified payload is on this device" },
  },
  ["more_notes"],
);

const nullableRelease = { oneOf: [{ type: "null" }, release] } as const;

/** The progress of an update; sent on the event stream, and not stored. */
export const updateProgress = strictObject({
  phase: {
    type: "string",
    enum: ["checking", "downloading", "verifying", "installing", "confirming", "rolling_back", "idle"],
    description: "`trial` in the status says more about a release that is being applied",
  },
  release_id: nullableText,
  name: nullableText,
  done_bytes: bytes,
  total_bytes: { type: ["integer", "null"], minimum: 0 },
});

const lastCheck = {
  ...strictObject(
    {
      id: { type: "string", description: "absent: an earlier release has made it" },
      at: timestamp,
      outcome: { type: "string", enum: checkOutcomes },
      code: { type: ["string", "null"], enum: [null, ...(Object.keys(errorCodes) as ErrorCode[])] },
      detail: nullableText,
      requests: { type: "integer", minimum: 0 },
      body_bytes: { ...bytes, description: "of all responses together" },
    },
    ["id"],
  ),
  type: ["object", "null"],
} as const;

const blocker = {
  ...strictObject({
    code: { type: "string", enum: Object.keys(errorCodes) as ErrorCode[] },
    detail: { type: "string", description: "the reason and the next step, in English" },
  }),
  type: ["object", "null"],
} as const;

/** Automatic checks, and the last one. The address of the server is a secret. */
export const updateSchedule = strictObject(
  {
    enabled: { type: "boolean" },
    server: { type: "string", "x-secret": "address" },
    next_check_at: nullableTimestamp,
    check_id: { type: "string", description: "of the check in progress; absent: there is none" },
    last_check: lastCheck,
    last_success_at: nullableTimestamp,
    failures: { type: "integer", minimum: 0, description: "checks in a row that failed" },
    window_open: { type: "boolean", description: "an update window is open, so updates may be applied now" },
  },
  ["check_id"],
);

export const updates = strictObject(
  {
    state: { type: "string", enum: updateStates },
    summary: updateSummary,
    channel: { type: "string" },
    product: { type: "string", description: "the product that this device runs, as the host file names it" },
    installed: strictObject({
      rules: { ...nullableText, description: "version; null: not installed by Steward" },
      binary: { ...nullableText, description: "version; null: not installed by Steward" },
    }),
    available: strictObject({ rules: nullableRelease, binary: nullableRelease }),
    blockers: {
      description:
        "kinds whose metadata the last check could not verify: their releases are not fetched or applied, the other kind is not affected; null: verified",
      ...strictObject({ rules: blocker, binary: blocker }),
    },
    passed_over: passedOverList,
    passed_over_counts: passedOverCounts,
    trial: { oneOf: [{ type: "null" }, updateTrial] },
    failed: { type: "array", items: failedRelease, description: "not applied again without a request" },
    held: {
      type: "array",
      items: setAsideRelease,
      description: "rolled back, aborted or deferred: not applied without a request",
    },
    postponed: {
      description: "until when an available release is not applied without a request; null: not postponed",
      ...strictObject({ rules: nullableTimestamp, binary: nullableTimestamp }),
    },
    trust: updateTrust,
    progress: { oneOf: [{ type: "null" }, updateProgress] },
    schedule: updateSchedule,
  },
  ["blockers", "passed_over", "passed_over_counts"],
);

export const checkRequest = partialObject({ repository: repositoryDirectory });

/** The names of these shapes in the OpenAPI document. */
export const updateShapes = () =>
  ({
    Updates: updates,
    UpdateState: updates.properties.state,
    UpdateKind: release.properties.kind,
    UpdateSummary: updateSummary,
    UpdateProblem: updateProblem,
    UpdateBlocker: updates.properties.blockers.properties.rules,
    UpdateReason: updateReason,
    UpdateCheck: updates.properties.schedule.properties.last_check,
    UpdateProgress: updateProgress,
    UpdateTrial: updateTrial,
    UpdateTrust: updateTrust,
    Release: release,
    ReleaseName: updateProblem.properties.release.oneOf[1],
    ReleaseHold: hold,
    SetAsideRelease: setAsideRelease,
    FailedRelease: failedRelease,
    PassedOverRelease: passedOver,
    PassedOverCounts: passedOverCounts,
    UpdateHistory: updateHistory,
    UpdateHistoryEntry: historyEntry,
    UpdateCheckRequest: checkRequest,
    UpdateApplyRequest: applyRequest,
    UpdateRollbackRequest: rollbackRequest,
    UpdatePostponeRequest: postponeRequest,
    UpdateDismissRequest: dismissRequest,
    UpdateTrustRequest: trustRequest,
  }) as const;

export const updateExamples = {
  UpdateHistory: { items: [], total: 0, next_cursor: null },
  UpdateCheckRequest: {},
  UpdateApplyRequest: { kind: "rules" },
  UpdateRollbackRequest: { kind: "rules" },
  UpdatePostponeRequest: { kind: "rules", for: "12h" },
  UpdateDismissRequest: { release_id: "00000000000000000000000000000000" },
  UpdateTrustRequest: { fingerprint: "0000000000000000000000000000000000000000000000000000000000000000" },
};
