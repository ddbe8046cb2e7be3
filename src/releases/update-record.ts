import { randomBytes } from "node:crypto";
import { passedOverCounts, passedOverList } from "../contract/schemas/update-passed-over.ts";
import type { PassedOver, Release, Updates } from "../contract/types.ts";
import type { DocumentKind } from "../store/documents/document-kind.ts";
import { nullableObjectOf, objectOf } from "../store/validation/object-schema.ts";
import type { Validators } from "../tuf/repository.ts";
import type { Blockers } from "./kind-blockers.ts";
import type { PassedOverCounts } from "./passed-over.ts";
import { maximumNotes } from "./release-format.ts";
import type { Floors } from "./selection.ts";

/** The state of updates that survives restarts, beside the trusted metadata. */
export interface UpdateRecord {
  /** This device's own 128 bits in hex, for its place in waves. null: not made yet. */
  readonly seed: string | null;
  /** Fingerprint of the installed root that the trusted metadata are based on; null: there are none. */
  readonly anchor: string | null;
  /** An administrator has compared this fingerprint. */
  readonly confirmation: { readonly fingerprint: string; readonly at: string; readonly by: string } | null;
  /** The server that has delivered one complete refresh under the root of this fingerprint. */
  readonly proof: { readonly fingerprint: string; readonly server: string } | null;
  /** The validators of timestamp.json, and their source. */
  readonly validators: (Validators & { readonly server: string }) | null;
  /** Checks in a row that failed, and downloads. */
  readonly failures: number;
  readonly download_failures: number;
  /** The time for which the server is not asked. */
  readonly retry: StoredWait | null;
  readonly last_check: StoredCheck | null;
  readonly last_success_at: string | null;
  readonly floors: Floors;
  /** The newest releases for this device, at the last successful check. */
  readonly available: { readonly rules: StoredRelease | null; readonly binary: StoredRelease | null };
  /** Kinds that could not be judged the last time; absent: no check has finished yet. */
  readonly blockers?: Blockers;
  /** The releases that this check did not choose, with reasons, and earlier recalls; absent: no check has finished. */
  readonly passed_over?: readonly PassedOver[];
  readonly passed_over_counts?: PassedOverCounts;
  /** The time of the last backup of the device that has left it whole; absent: none. It is no reason for a document. */
  readonly last_backup_at?: string | null;
  /** Releases that were announced, newest last. */
  readonly announced: readonly string[];
  /** The part of the release journal that was reported as events. */
  readonly followed: Followed;
  /** Failures that an administrator has dismissed; absent: none. */
  readonly dismissed?: readonly DismissedFailure[];
  /** Postponed releases. Only that release is postponed: a newer one may be the fix. */
  readonly postponed: { readonly rules: Postponed | null; readonly binary: Postponed | null };
}

/** The rest of a wait, as it is stored: counted in the boot in which it was written. */
export interface StoredWait {
  readonly boot_id: string;
  /** Seconds since that boot. */
  readonly uptime: number;
  /** Seconds from then on. */
  readonly left: number;
}

/** The newest reported entry of the history, and the trials: id and beginning; null: there was none. */
export interface Followed {
  readonly sequence: number;
  readonly rules: string | null;
  readonly binary: string | null;
}

export interface Postponed {
  readonly release_id: string;
  readonly until: string;
}

/** One failure of a release: the same release may fail again later. */
export interface DismissedFailure {
  readonly release_id: string;
  readonly failed_at: string;
}

/** A check as the API has it, with any code: a newer release may have stored it. */
export interface StoredCheck extends Omit<NonNullable<Updates["schedule"]["last_check"]>, "code"> {
  readonly code: string | null;
}

/** The facts that are shown of a release; downloads always follow a fresh check. */
export type StoredRelease = Omit<Release, "hold" | "staged">;

/** Bounds of texts: a detail is cut to it; longer texts of the others are refused earlier. */
export const recordBounds = { detail: 1_000, announced: 16, floors: 64, dismissed: 64 } as const;

const fingerprint = { type: "string", pattern: "^[0-9a-f]{64}$" } as const;
const moment = { type: "string", maxLength: 32, format: "date-time" } as const;
const nullableMoment = { ...moment, type: ["string", "null"] } as const;
const count = { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;
const text = (maxLength: number) => ({ type: "string", maxLength }) as const;
const nullableText = (maxLength: number) => ({ type: ["string", "null"], maxLength }) as const;

const server = text(512);
const releaseId = { type: "string", pattern: "^[0-9a-f]{32}$" } as const;
const release = nullableObjectOf(
  {
    id: releaseId,
    kind: { type: "string", enum: ["rules", "binary"] },
    name: text(64),
    version: text(64),
    channel: text(32),
    length_bytes: count,
    notes: text(2_000),
    urgent: { type: "boolean" },
    path: text(1_024),
    due_at: nullableMoment,
  },
  { more_notes: { type: "array", maxItems: maximumNotes.lines, items: text(maximumNotes.line) } },
);

const postponed = nullableObjectOf({ release_id: releaseId, until: moment });

const check = nullableObjectOf(
  {
    at: moment,
    outcome: { type: "string", enum: ["ok", "failed", "waiting_for_clock"] },
    code: nullableText(64),
    detail: nullableText(recordBounds.detail),
    requests: count,
    body_bytes: count,
  },
  { id: text(64) },
);

const blocker = nullableObjectOf({ code: text(64), detail: text(recordBounds.detail) });

/** Known under no trust yet. */
const nothingKnown = {
  confirmation: null,
  proof: null,
  validators: null,
  failures: 0,
  download_failures: 0,
  retry: null,
  floors: {},
  available: { rules: null, binary: null },
  announced: [],
} as const;

/**
 * If it is lost, an administrator must confirm the root again, the server must prove itself again, and the device gets
 * another place in waves that are under way. Signed floors return with the next check while their releases are on
 * offer. Floors of removed releases are lost here, but the trusted metadata are in files of their own and keep older
 * releases out, and so do the installer's floors. The events of the release journal are reported again.
 */
export const updateRecordKind: DocumentKind<UpdateRecord> = {
  name: "updates",
  formatVersion: "1.1.0",
  schema: objectOf(
    {
      seed: { type: ["string", "null"], pattern: "^[0-9a-f]{32}$" },
      anchor: { ...fingerprint, type: ["string", "null"] },
      confirmation: nullableObjectOf({ fingerprint, at: moment, by: text(128) }),
      proof: nullableObjectOf({ fingerprint, server }),
      validators: nullableObjectOf({ server, etag: nullableText(1_024), last_modified: nullableText(128) }),
      failures: count,
      download_failures: count,
      retry: nullableObjectOf({
        boot_id: text(64),
        uptime: { type: "number", minimum: 0 },
        left: { type: "number", minimum: 0, maximum: 34 * 86_400 },
      }),
      last_check: check,
      last_success_at: nullableMoment,
      floors: {
        type: "object",
        maxProperties: recordBounds.floors,
        propertyNames: { type: "string", maxLength: 80 },
        additionalProperties: text(64),
      },
      available: objectOf({ rules: release, binary: release }),
      announced: { type: "array", maxItems: recordBounds.announced, items: releaseId },
      followed: objectOf({ sequence: count, rules: nullableText(80), binary: nullableText(80) }),
      postponed: objectOf({ rules: postponed, binary: postponed }),
    },
    {
      last_backup_at: nullableMoment,
      passed_over: passedOverList,
      passed_over_counts: passedOverCounts,
      blockers: objectOf({ rules: blocker, binary: blocker }),
      dismissed: {
        type: "array",
        maxItems: recordBounds.dismissed,
        items: objectOf({ release_id: releaseId, failed_at: moment }),
      },
    },
  ),
  defaults: {
    seed: null,
    anchor: null,
    last_check: null,
    last_success_at: null,
    ...nothingKnown,
    followed: { sequence: 0, rules: null, binary: null },
    postponed: { rules: null, binary: null },
  },
  onLoss: "defaults",
};

/** The trust is the same, continued: so are confirmation and proof. */
export function continuedRecord(present: UpdateRecord, fingerprint: string): UpdateRecord {
  const { anchor, confirmation, proof } = present;
  const isOfAnchor = (one: { fingerprint: string }) => one.fingerprint === anchor;
  return {
    ...present,
    anchor: fingerprint,
    confirmation: confirmation && isOfAnchor(confirmation) ? { ...confirmation, fingerprint } : null,
    proof: proof && isOfAnchor(proof) ? { ...proof, fingerprint } : null,
  };
}

/** Another trust has begun: nothing known under the former one counts. */
export function replacedRecord(present: UpdateRecord, fingerprint: string): UpdateRecord {
  return {
    ...present,
    anchor: fingerprint,
    ...nothingKnown,
    blockers: { rules: null, binary: null },
    passed_over: [],
  };
}

/** 128 random bits, in hex. */
export function newSeed(): string {
  return randomBytes(16).toString("hex");
}
