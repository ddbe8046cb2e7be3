import type {
  PassedOver,
  Release,
  UpdateProblem,
  UpdateProgress,
  Updates as UpdatesStatus,
} from "../../contract/types.ts";
import { fullSentence } from "../../contract/update-facts.ts";
import { updateKinds } from "../../contract/update-kinds.ts";
import { isRecall } from "../../contract/updates/update-summaries.ts";
import { installedVersions, newestEntry, setAsideAt } from "../../releases/journal-queries.ts";
import { type Blocker, type Blockers, noBlockers } from "../../releases/kind-blockers.ts";
import { knownCode, reasonOfError } from "../../releases/outcome-reasons.ts";
import { countForOthers, countWords, isForOthers, passedOverWords } from "../../releases/passed-over.ts";
import { compareVersions } from "../../releases/semver.ts";
import type { StoredCheck, StoredRelease } from "../../releases/update-record.ts";
import { type ApplyParts, applySituationOf } from "../apply/apply-conditions.ts";
import { applyHoldOf } from "../apply/apply-decision.ts";
import type { Applying } from "../apply/applying.ts";
import type { PendingRequest } from "../apply/installer-requests.ts";
import { windowsAt } from "../apply/windows.ts";
import { availableRelease, blockedReason, holdConditions } from "../check/hold-conditions.ts";
import {
  type HoldReason,
  heldBySchedule,
  holdBecause,
  holdReasonOf,
  releaseHold,
} from "../facts/hold-reason.ts";
import { idle } from "../facts/progress.ts";
import { failedReleases, shownSetAside } from "./failed-releases.ts";
import { outcomeState, type TrialView, trialState, trialView } from "./trial-view.ts";
import { blockerSentences, byGravity, entryProblem } from "./update-problem.ts";
import { type QuietStateOf, type Situation, type State, stateOf, stateWith } from "./update-summary.ts";

export interface UpdateParts extends ApplyParts {
  readonly applying: Applying;
  readonly quietState: QuietStateOf;
}

export function updatesStatus(parts: UpdateParts): UpdatesStatus {
  const { options, trust, progress, watch } = parts;
  const { ota, windows } = options.settings();
  const record = options.record.read();
  const now = options.now();
  const shown = updateKinds.flatMap((kind) => shownRelease(parts, kind));
  const check_id = parts.checks.runningId();
  const trial = trialView(watch.journal(), { now, uptime: options.uptime(), bootId: options.bootId });
  const { state, summary } = stateOf(situationOf(parts, shown, trial));
  const of = (kind: Release["kind"]) => shown.find((release) => release.kind === kind) ?? null;
  const held = setAsideAt(watch.journal(), now).filter(({ why }) => why !== "failed");
  return {
    state,
    summary,
    channel: ota.channel,
    product: options.product,
    installed: { ...installedVersions(watch.journal(), options.installed()) },
    available: { rules: of("rules"), binary: of("binary") },
    blockers: shownBlockers(record.blockers ?? noBlockers),
    passed_over: [...passedOverNow(parts)],
    ...(record.passed_over_counts && { passed_over_counts: record.passed_over_counts }),
    trial,
    failed: failedReleases(parts),
    held: held.map(shownSetAside),
    postponed: { rules: postponedUntil(parts, "rules"), binary: postponedUntil(parts, "binary") },
    trust: trust.view(),
    progress: progress.present(),
    schedule: {
      enabled: ota.enabled,
      server: ota.server,
      next_check_at: nextCheckAt(parts)?.toISOString() ?? null,
      ...(check_id !== null && { check_id }),
      last_check: record.last_check && shownCheck(record.last_check),
      last_success_at: record.last_success_at,
      failures: record.failures,
      window_open: windowsAt(windows, now).isOpen,
    },
  };
}

/** The progress while neither a check nor a download is in progress. */
export function restingProgress({ watch, options, requests }: UpdateParts): UpdateProgress {
  const moment = { now: options.now(), uptime: options.uptime(), bootId: options.bootId };
  const trial = trialView(watch.journal(), moment);
  if (trial !== null) return { ...idle, phase: trial.phase, release_id: trial.id, name: trial.name };
  const pending = requests.pending();
  if (pending === null) return idle;
  return { ...idle, phase: pending.isRollback ? "rolling_back" : "verifying", release_id: pending.id };
}

/** The releases not chosen by the last check, unless a newer one was found or installed since. */
function passedOverNow(parts: UpdateParts): readonly PassedOver[] {
  const { options, watch } = parts;
  const installed = installedVersions(watch.journal(), options.installed());
  return (options.record.read().passed_over ?? []).filter((one) => {
    const { code, kind, version, here, offered } = one;
    if (kind !== null && isRecall(one)) return here === installed[kind];
    if (kind === null || version === null || code === "other_product") return true;
    if (code === "not_newer") return here === installed[kind] && availableRelease(parts, kind) === null;
    if (code === "other_channel" && offered === options.settings().ota.channel) return false;
    const present = installed[kind];
    return present === null || compareVersions(version, present) > 0;
  });
}

/** Releases for others that are named in the sentence. */
const namedForOthers = 3;

/** In a sentence, for a person who expects one of them; null: there are none. */
function forOthersNow(parts: UpdateParts): string | null {
  const all = passedOverNow(parts).filter(({ code }) => isForOthers(code));
  if (all.length === 0) return null;
  const named = all.slice(0, namedForOthers);
  const { passed_over_counts: counts } = parts.options.record.read();
  const left = Math.max(all.length, counts === undefined ? 0 : countForOthers(counts)) - named.length;
  const inAll = counts === undefined ? "" : `, in all ${countWords(counts)}`;
  const more = left > 0 ? `; and ${left} more${inAll}` : "";
  return `Not for this device: ${named.map(passedOverWords).join("; ")}${more}.`;
}

function situationOf(parts: UpdateParts, releases: readonly Release[], trial: TrialView | null): Situation {
  const { options, downloads, progress, watch, requests } = parts;
  const { ota } = options.settings();
  const record = options.record.read();
  const present = progress.present();
  const pending = requests.pending();
  return {
    blocked: blockedReason(parts),
    phase: present?.phase === "checking" || present?.phase === "downloading" ? present.phase : null,
    downloading: downloads.downloading(),
    isEnabled: ota.enabled,
    server: ota.server,
    isClockTrusted: options.isClockTrusted(),
    lastCheck: record.last_check,
    warnings: [
      ...passedOverNow(parts)
        .filter(isRecall)
        .map((one) => fullSentence(passedOverWords(one))),
      // If no kind could be verified, the failure of the check says so.
      ...(record.last_check?.outcome === "ok" ? blockerSentences(record.blockers ?? noBlockers) : []),
    ],
    forOthers: forOthersNow(parts),
    releases,
    trial: trial === null ? pending && requestedState(pending) : trialState(trial),
    outcome: outcomeState(watch.journal(), { failed: failedReleases(parts), ota }),
    problems: problemsOf(parts, releases),
    quietState: parts.quietState,
  };
}

function requestedState({ release, isRollback }: PendingRequest): State {
  const facts = { releases: [release] };
  if (!isRollback) return stateWith("verifying", "requested", facts);
  return stateWith("rolling_back", "requested", facts, ["The previous release comes back."]);
}

/** The problem of the last request, and refusals, unless their release shows them as a hold. */
function problemsOf({ requests, watch }: UpdateParts, releases: readonly Release[]): UpdateProblem[] {
  const { history } = watch.journal();
  const newest = new Set([history.at(-1), ...updateKinds.map((kind) => newestEntry(watch.journal(), kind))]);
  const refusals = [...newest].flatMap((entry) => {
    if (entry?.outcome !== "refused") return [];
    const offer = releases.find(({ id }) => id === entry.release_id);
    // Once it is no longer on offer, only that nothing was tried since keeps it of interest.
    const isOver = offer === undefined && entry !== history.at(-1);
    return isOver || offer?.hold?.code === "refused" ? [] : [entryProblem("refused", entry)];
  });
  const own = requests.problem();
  return own === null ? refusals.sort(byGravity) : [own];
}

function shownRelease(parts: UpdateParts, kind: Release["kind"]): Release[] {
  const { downloads } = parts;
  const stored = availableRelease(parts, kind);
  if (stored === null) return [];
  const staged = downloads.isStaged(stored.id);
  const hold = staged
    ? applyHoldOf(stored, applySituationOf(parts, parts.applying.busy()))
    : fetchHoldOf(stored, parts);
  return [{ ...stored, hold: hold && releaseHold(hold), staged }];
}

/** The end of the postponement of the available release; that of an earlier release does not count. */
function postponedUntil(parts: UpdateParts, kind: Release["kind"]): string | null {
  const { record, now } = parts.options;
  const postponed = record.read().postponed[kind];
  if (postponed === null || postponed.release_id !== availableRelease(parts, kind)?.id) return null;
  return Date.parse(postponed.until) > now().getTime() ? postponed.until : null;
}

/** These are no reasons for a person who has asked for it: its download may have failed all the same. */
const onRequest: readonly HoldReason["code"][] = ["not_automatic", "wave", "trust_not_established"];

/** The reason why a release is not here yet. A failure names the time of the next try, where there is one. */
function fetchHoldOf(stored: StoredRelease, parts: UpdateParts): HoldReason | null {
  const conditions = holdConditions(parts);
  const hold = holdReasonOf(stored, conditions);
  // Once the clock is trusted, the server is asked whatever the schedule says.
  if (hold?.code === "clock_not_trusted" && conditions.ota.server !== "") return hold;
  const failure = parts.downloads.failureOf(stored.id);
  if (failure === null || (hold !== null && !onRequest.includes(hold.code)))
    return heldBySchedule(hold, conditions.ota);
  const next = hold === null ? nextCheckAt(parts) : null;
  return holdBecause("download_failed", { reason: reasonOfError(failure), until: next });
}

/** null: none is scheduled, or there is no server for it. */
function nextCheckAt({ options, checks }: UpdateParts): Date | null {
  const seconds = checks.left();
  if (seconds === null || options.settings().ota.server === "") return null;
  return new Date(options.now().getTime() + seconds * 1_000);
}

function shownCheck(check: StoredCheck): UpdatesStatus["schedule"]["last_check"] {
  return { ...check, code: check.code === null ? null : knownCode(check.code) };
}

function shownBlockers({ rules, binary }: Blockers): NonNullable<UpdatesStatus["blockers"]> {
  const shown = (one: Blocker | null) => one && { ...one, code: knownCode(one.code) };
  return { rules: shown(rules), binary: shown(binary) };
}
