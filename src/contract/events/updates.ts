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
const reason = {
  ...{ code, detail },
  count: { type: ["integer", "null"], minimum: 0, description: "how often or how many, by the code" },
  last_answer: { ...nullableText, description: "the last answer of a health check" },
} as const;
const outcome = { from_version: nullableText, ...reason } as const;

export const updateEvents = {
  "update.trust_installed": operations("always", ["updates"], {
    fingerprint: text,
    root_version: count,
    goes_on: flag,
  }),
  "update.trust_confirmed": operations("always", ["updates"], { fingerprint: text }),
  "update.root_rotated": operations("always", ["updates"], { from_version: count, version: count }),
  "update.check_requested": unheard(["updates"], {
    repository: nullableText,
    bytes: sometimes(nullableCount),
  }),
  "update.check_failed": unheard(["updates"], { code, detail, kind: sometimes(updateKind) }),
  "update.check_recovered": unheard(["updates"], { failures: count, kind: sometimes(updateKind) }),
  "update.available": unheard(["updates"], release),
  "update.staged": unheard(["updates"], release),
  "update.download_failed": unheard(["updates"], { ...release, code, detail }),
  "update.apply_requested": unheard(["updates"], { kind: askedKind, repository: nullableText }),
  "update.rollback_requested": unheard(["updates"], { kind: updateKind }),
  "update.postponed": unheard(["updates"], { kind: askedKind, for: duration }),
  "update.failure_dismissed": unheard(["updates"], release),
  "update.applying": unheard(["updates"], release),
  "update.applied": unheard(["updates", "version"], { ...release, ...outcome }),
  "update.undone": operations("unless_need", ["updates", "version"], {
    ...release,
    ...outcome,
    outcome: text,
    restored_healthy: { type: ["boolean", "null"] },
  }),
  "update.refused": operations("always", ["updates"], {
    ...requested,
    ...{ from_version: sometimes(nullableText), code: sometimes(code), detail },
    ...{ count: sometimes(reason.count), last_answer: sometimes(reason.last_answer) },
  }),
} as const satisfies EventRows;
