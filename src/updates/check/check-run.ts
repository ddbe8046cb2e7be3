import { StewardError } from "../../contract/errors.ts";
import { updateKinds } from "../../contract/update-kinds.ts";
import type { Blockers } from "../../releases/kind-blockers.ts";
import type { UpdateKind } from "../../releases/release.ts";
import type { StoredWait, UpdateRecord } from "../../releases/update-record.ts";
import { holdReasonOf } from "../facts/hold-reason.ts";
import { type CheckDone, performCheck } from "./check.ts";
import {
  type CheckReport,
  type CheckSource,
  failedResult,
  isWorthWriting,
  recordAfter,
  targetsOf,
} from "./check-outcome.ts";
import { deviceReport } from "./device-report.ts";
import { type CheckParts, holdConditions } from "./hold-conditions.ts";
import { nextCheckIn, retryIn } from "./schedule.ts";

/** A check with all that follows from it. */
export interface CheckRun {
  /** Tells a client which of the checks a status describes. */
  readonly id: string;
  readonly source: CheckSource;
  readonly signal: AbortSignal;
  /** Kinds that were requested: downloaded whatever automatic updates and waves say. */
  readonly wanted: ReadonlySet<UpdateKind>;
  /** The check has ended, and fetching begins. */
  readonly onFetching: () => void;
}

/** Seconds for which unchanged outcomes wait for another reason to write: flash wears. */
const idleWriteSeconds = 3_600;

/** Seconds within which a download that failed is on the disk. */
const soonSeconds = 60;

/** Checks, keeps the result, downloads what needs no request. The seconds to the next check; throws the signal's reason. */
export async function runCheck(parts: CheckParts, run: CheckRun): Promise<number> {
  const done = await check(parts, run);
  if (done === null) return healthyWait(parts);
  const { result } = done.report;
  if (result.outcome === "waiting_for_clock") return healthyWait(parts);
  if (result.outcome === "failed") return parts.options.record.read().retry?.left ?? healthyWait(parts);
  run.onFetching();
  return fetchDue(parts, run, done);
}

/** null: there is no trust to check anything under. */
async function check(parts: CheckParts, { id, source, signal }: CheckRun): Promise<CheckDone | null> {
  const { options, trust } = parts;
  try {
    return await trust.during(async (fingerprint) => {
      const { watch } = parts;
      const report = deviceReport(parts);
      const order = { id, source, fingerprint, signal, journal: watch.journal(), report };
      const done = await performCheck(options, order);
      signal.throwIfAborted();
      return { ...done, report: await keep(parts, done.report) };
    });
  } catch (error) {
    signal.throwIfAborted();
    const isWithoutTrust = trust.state().kind !== "usable" && error instanceof StewardError;
    if (isWithoutTrust) return null;
    throw error;
  }
}

/** Puts a report into the record; one that cannot be stored is a failure, and what it promised is not relied on. */
async function keep(parts: CheckParts, report: CheckReport): Promise<CheckReport> {
  const { record, isClockTrusted } = parts.options;
  try {
    await store(parts, report);
    return report;
  } catch (error) {
    const failed = { ...report, result: failedResult(error, isClockTrusted()) };
    const { record: after, events } = recordAfter(record.read(), failed);
    record.note(() => ({ ...after, retry: retryAfter(parts, failed, after) }), idleWriteSeconds);
    tell(parts, events);
    return failed;
  }
}

async function store(parts: CheckParts, report: CheckReport): Promise<void> {
  const { record } = parts.options;
  const before = record.read();
  const outcome = recordAfter(before, report);
  const after = { ...outcome.record, retry: retryAfter(parts, report, outcome.record) };
  // Only a check changes the other members.
  const change = (present: UpdateRecord): UpdateRecord => ({
    ...after,
    anchor: present.anchor,
    confirmation: present.confirmation,
    followed: present.followed,
    postponed: present.postponed,
  });
  if (isWorthWriting(before, after)) await record.update(change);
  else record.note(change, idleWriteSeconds);
  tell(parts, outcome.events);
}

function tell({ options }: CheckParts, events: ReturnType<typeof recordAfter>["events"]): void {
  for (const { type, details } of events) options.notify(type, { ...details });
}

/** The wait before the server is asked again; null: the usual interval. */
function retryAfter(parts: CheckParts, report: CheckReport, after: UpdateRecord): StoredWait | null {
  const { result, source } = report;
  if (!source.isServer) return after.retry;
  return result.outcome === "failed" ? retryWait(parts, after.failures, result.error) : null;
}

function retryWait({ options }: CheckParts, failures: number, error: StewardError): StoredWait {
  const { checkIntervalSeconds, random } = options;
  const { retryAfterSeconds } = error.details;
  const left = retryIn(Math.max(1, failures), checkIntervalSeconds(), random(), retryAfterSeconds);
  return { boot_id: options.bootId, uptime: options.uptime(), left };
}

async function fetchDue(
  parts: CheckParts,
  run: CheckRun,
  { report, repository }: CheckDone,
): Promise<number> {
  const { downloads, options } = parts;
  const { result, source } = report;
  if (result.outcome !== "ok" || repository === null) return healthyWait(parts);
  const targets = targetsOf(result.selection);
  const { patches, blockers } = result;
  downloads.patchesFound(patches);
  const kept = [...targets.keys(), ...idsOfBlocked(parts, blockers)];
  // Releases that are no longer offered go; where that fails, the next check tries again.
  await downloads.keepOnly([...kept, ...downloads.formers(parts.watch.journal())]).catch(() => undefined);
  const error = await downloads.fetchAll({
    targets,
    patches,
    dispensable: downloads.formers(parts.watch.journal()),
    repository,
    signal: run.signal,
    isConsistentSnapshot: result.isConsistentSnapshot,
    isWanted: (release) =>
      run.wanted.has(release.kind) || holdReasonOf(release, holdConditions(parts)) === null,
  });
  const { record } = options;
  if (error === null || !source.isServer) {
    record.note(
      (present) => (present.download_failures === 0 ? present : { ...present, download_failures: 0 }),
      soonSeconds,
    );
    return healthyWait(parts);
  }
  const download_failures = record.read().download_failures + 1;
  const retry = retryWait(parts, download_failures, error);
  const within = download_failures === 1 ? soonSeconds : idleWriteSeconds;
  record.note((present) => ({ ...present, download_failures, retry }), within);
  return retry.left;
}

/**
 * The payload of a kind that could not be judged is kept: it is good again when the publisher has mended the metadata.
 */
function idsOfBlocked({ options }: CheckParts, blockers: Blockers): string[] {
  const { available } = options.record.read();
  return updateKinds.flatMap((kind) => (blockers[kind] === null ? [] : (available[kind]?.id ?? [])));
}

function healthyWait({ options }: CheckParts): number {
  return nextCheckIn(options.checkIntervalSeconds(), options.random());
}
