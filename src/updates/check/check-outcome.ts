import { asStewardError, type StewardError } from "../../contract/errors.ts";
import { mostPassedOver } from "../../contract/schemas/update-passed-over.ts";
import type { PassedOver } from "../../contract/types.ts";
import { updateKinds } from "../../contract/update-kinds.ts";
import { isRecall } from "../../contract/updates/update-summaries.ts";
import { type Blockers, noBlockers } from "../../releases/kind-blockers.ts";
import type { Patch } from "../../releases/patches/patch.ts";
import type { Release } from "../../releases/release.ts";
import { type Floors, passedOverOf, refusalsInWords, type Selection } from "../../releases/selection.ts";
import {
  recordBounds,
  type StoredCheck,
  type StoredRelease,
  type UpdateRecord,
} from "../../releases/update-record.ts";
import { waveDueSeconds, wavePosition } from "../../releases/waves.ts";
import type { FoundTarget } from "../../tuf/client.ts";
import type { Validators } from "../../tuf/repository.ts";
import type { UpdateEvent } from "../facts/updater-options.ts";

export type CheckResult = GoodResult | FailedResult;

interface GoodResult {
  readonly outcome: "ok";
  readonly selection: Selection;
  /** The reasons why kinds could not be judged; `selection` holds no release of these kinds. */
  readonly blockers: Blockers;
  /** Patches on offer. A release is chosen without a look at them. */
  readonly patches: readonly Patch[];
  readonly validators: Validators | undefined;
  /** `consistent_snapshot` of the root in force. */
  readonly isConsistentSnapshot: boolean;
}

interface FailedResult {
  readonly outcome: "failed" | "waiting_for_clock";
  readonly error: StewardError;
  /** Present if the top-level roles are good, and every kind was refused for its own metadata. */
  readonly blockers?: Blockers;
}

export interface CheckReport {
  readonly id: string;
  readonly result: CheckResult;
  readonly at: Date;
  readonly requests: number;
  readonly bodyBytes: number;
  readonly source: CheckSource;
  /** The fingerprint of the installed root under which the check was made. */
  readonly fingerprint: string;
}

/** `isServer`: the server of the settings, not a directory on the device. */
export interface CheckSource {
  readonly url: string;
  readonly isServer: boolean;
}

/** The result of a failure. While the clock is not trusted, dates prove nothing, of metadata or certificates. */
export function failedResult(cause: unknown, isClockTrusted: boolean): FailedResult {
  const error = asStewardError(cause, "The check");
  const isOfDates = error.code === "update_metadata_expired" || error.details.reason === "certificate_date";
  return { outcome: isOfDates && !isClockTrusted ? "waiting_for_clock" : "failed", error };
}

/** The record after a check, and the events. A failure leaves what was known as it was. */
export function recordAfter(
  record: UpdateRecord,
  report: CheckReport,
): { record: UpdateRecord; events: readonly UpdateEvent[] } {
  const { result, source } = report;
  if (result.outcome === "ok") return afterSuccess(record, report, result);
  const last_check = storedCheck(report);
  const blockers = stored(result.blockers ?? record.blockers ?? noBlockers);
  if (result.outcome === "waiting_for_clock")
    return { record: { ...record, blockers, last_check }, events: [] };
  const { code } = result.error;
  const before = record.last_check;
  const isNews = before?.outcome !== "failed" || before.code !== code;
  const failures = record.failures + (source.isServer ? 1 : 0);
  const details = { code, detail: last_check.detail ?? "" };
  return {
    record: { ...record, blockers, last_check, failures },
    events: isNews ? [{ type: "update.check_failed", details }] : [],
  };
}

/** True if the record is to be written now: an idle device writes once an hour at most. */
export function isWorthWriting(before: UpdateRecord, after: UpdateRecord): boolean {
  const essence = ({
    last_check,
    last_success_at,
    failures,
    validators,
    retry,
    blockers,
    ...rest
  }: UpdateRecord): string =>
    // The sentences tell the time of the check.
    JSON.stringify([
      rest,
      last_check?.outcome,
      last_check?.code,
      blockers?.rules?.code,
      blockers?.binary?.code,
    ]);
  return essence(before) !== essence(after);
}

function afterSuccess(
  record: UpdateRecord,
  report: CheckReport,
  { selection, validators, blockers }: GoodResult,
): { record: UpdateRecord; events: readonly UpdateEvent[] } {
  const { source, at, fingerprint } = report;
  const { rules, binary } = selection.chosen;
  // A kind that could not be judged keeps its known release, which is neither fetched nor applied.
  const available = {
    rules: blockers.rules ? record.available.rules : storedRelease(rules, record.seed),
    binary: blockers.binary ? record.available.binary : storedRelease(binary, record.seed),
  };
  const news = [rules, binary].flatMap((one) => (one && !record.announced.includes(one.id) ? [one] : []));
  const announced = [...record.announced, ...news.map(({ id }) => id)].slice(-recordBounds.announced);
  const ofServer = source.isServer
    ? {
        failures: 0,
        retry: null,
        proof: { fingerprint, server: source.url },
        validators: storedValidators(source.url, validators),
      }
    : {};
  const hasRecovered = source.isServer && record.failures > 0;
  return {
    record: {
      ...record,
      ...ofServer,
      last_check: storedCheck(report),
      last_success_at: at.toISOString(),
      floors: sameFloors(record.floors, selection.floors),
      available,
      blockers: stored(blockers),
      passed_over: [...recallsBefore(record, selection), ...passedOverOf(selection)].slice(0, mostPassedOver),
      passed_over_counts: selection.counts,
      announced,
    },
    events: [
      ...(hasRecovered
        ? [{ type: "update.check_recovered", details: { failures: record.failures } } as const]
        : []),
      ...blockerEvents(record.blockers ?? noBlockers, blockers),
      ...news.map(({ id, kind, name, version }) => {
        return { type: "update.available", details: { release_id: id, kind, name, version } } as const;
      }),
    ],
  };
}

/** A recall is over once its release is seen without it: that it is not listed, or cannot be verified, says nothing. */
function recallsBefore({ passed_over = [] }: UpdateRecord, { seen }: Selection): PassedOver[] {
  return passed_over.filter((one) => isRecall(one) && !seen.some((kind) => kind === one.kind));
}

/** The same reason again is no news. */
function blockerEvents(before: Blockers, after: Blockers): UpdateEvent[] {
  return updateKinds.flatMap((kind): UpdateEvent[] => {
    const [former, present] = [before[kind], after[kind]];
    if (former?.code === present?.code) return [];
    if (present !== null) return [{ type: "update.check_failed", details: { ...present, kind } }];
    return [{ type: "update.check_recovered", details: { failures: 0, kind } }];
  });
}

function stored({ rules, binary }: Blockers): Blockers {
  const cut = (one: Blockers["rules"]) =>
    one && { ...one, detail: one.detail.slice(0, recordBounds.detail).toWellFormed() };
  return { rules: cut(rules), binary: cut(binary) };
}

function storedCheck({ id, result, at, requests, bodyBytes }: CheckReport): StoredCheck {
  const error = result.outcome === "ok" ? null : result.error;
  const detail = result.outcome === "ok" ? refusalsInWords(result.selection) : result.error.message;
  return {
    id,
    at: at.toISOString(),
    outcome: result.outcome,
    code: error?.code ?? null,
    detail: detail?.slice(0, recordBounds.detail).toWellFormed() ?? null,
    requests,
    body_bytes: bodyBytes,
  };
}

function storedRelease(release: Release | null, seed: string | null): StoredRelease | null {
  if (release === null) return null;
  const { id, kind, name, version, channel, notes, moreNotes, urgent } = release;
  const due = waveDueSeconds(release, wavePosition(Buffer.from(seed ?? "", "hex"), id));
  return {
    id,
    kind,
    name,
    version,
    channel,
    length_bytes: release.lengthBytes,
    notes,
    ...(moreNotes.length > 0 && { more_notes: [...moreNotes] }),
    urgent,
    path: release.target.path,
    due_at: due === null ? null : new Date(due * 1_000).toISOString(),
  };
}

/** Headers that are too long to be kept are not: the next check then takes one body more. */
function storedValidators(server: string, validators: Validators | undefined): UpdateRecord["validators"] {
  const { etag = null, last_modified = null } = validators ?? {};
  const isKept = (etag?.length ?? 0) <= 1_024 && (last_modified?.length ?? 0) <= 128;
  return isKept && (etag !== null || last_modified !== null) ? { server, etag, last_modified } : null;
}

function sameFloors(known: Floors, present: Floors): Floors {
  return JSON.stringify(known) === JSON.stringify(present) ? known : present;
}

/** The targets of the chosen releases, by the id of the release. */
export function targetsOf({ chosen }: Selection): ReadonlyMap<string, FoundTarget> {
  const releases = [chosen.rules, chosen.binary].filter((release) => release !== null);
  return new Map(releases.map(({ id, target }) => [id, target]));
}
