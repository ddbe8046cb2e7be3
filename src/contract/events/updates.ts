import { duration } from "../durations.ts";
import { updateKinds } from "../update-kinds.ts";
import {
  code,
  count,
  detail,
  type EventRows,
  flag,
  nullableText,
  operations,
  sometimes,
  text,
  unheard,
  updateKind,
} from "./row.ts";

const nullableKind = { type: ["string", "null"], enum: [null, ...updateKinds] } as const;
const askedKind = { type: "string", enum: [...updateKinds, "all"] } as const;
const release = { release_id: text, kind: updateKind, name: text, version: text } as const;
const requested = {
  ...{ release_id: nullableText, kind: nullableKind, name: nullableText, version: nullableText },
} as const;
const nullableCount = { type: ["integer", "null"], minimum: 0 } as const;
/** The reason of an outcome, as in the history of updates. */
const reason = {
  ...{ code, detail },
  count: { type: ["integer", "null"], minimum: 0, description: "how often or how many, by the code" },
  last_answer: { ...nullableText, description: "the last answer of a health check" },
} as const;
const outcome = { from_version: nullableText, ...reason } as const;

/** Signed updates and the root of trust. */
export const updateEvents = {
  "update.trust_installed": {
    ...operations("always"),
    stale: ["updates"],
    details: { fingerprint: text, root_version: count, goes_on: flag },
  },
  "update.trust_confirmed": { ...operations("always"), stale: ["updates"], details: { fingerprint: text } },
  "update.root_rotated": {
    ...operations("always"),
    stale: ["updates"],
    details: { from_version: count, version: count },
  },
  "update.check_requested": {
    ...unheard,
    stale: ["updates"],
    details: { repository: nullableText, bytes: sometimes(nullableCount) },
  },
  "update.check_failed": {
    ...unheard,
    stale: ["updates"],
    details: { code, detail, kind: sometimes(updateKind) },
  },
  "update.check_recovered": {
    ...unheard,
    stale: ["updates"],
    details: { failures: count, kind: sometimes(updateKind) },
  },
  "update.available": { ...unheard, stale: ["updates"], details: release },
  "update.staged": { ...unheard, stale: ["updates"], details: release },
  "update.download_failed": { ...unheard, stale: ["updates"], details: { ...release, code, detail } },
  "update.apply_requested": {
    ...unheard,
    stale: ["updates"],
    details: { kind: askedKind, repository: nullableText },
  },
  "update.rollback_requested": { ...unheard, stale: ["updates"], details: { kind: updateKind } },
  "update.postponed": { ...unheard, stale: ["updates"], details: { kind: askedKind, for: duration } },
  "update.failure_dismissed": { ...unheard, stale: ["updates"], details: release },
  "update.applying": { ...unheard, stale: ["updates"], details: release },
  "update.applied": { ...unheard, stale: ["updates", "version"], details: { ...release, ...outcome } },
  "update.undone": {
    ...operations("unless_need"),
    stale: ["updates", "version"],
    details: { ...release, ...outcome, outcome: text, restored_healthy: { type: ["boolean", "null"] } },
  },
  "update.refused": {
    ...operations("always"),
    stale: ["updates"],
    details: {
      ...requested,
      ...{ from_version: sometimes(nullableText), code: sometimes(code), detail },
      ...{ count: sometimes(reason.count), last_answer: sometimes(reason.last_answer) },
    },
  },
} as const satisfies EventRows;
