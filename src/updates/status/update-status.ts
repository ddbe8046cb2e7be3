import { type ErrorCode, errorCodes } from "../../contract/error-codes.ts";
import type { PassedOver, Release, UpdateProgress, Updates as UpdatesStatus } from "../../contract/types.ts";
import { updateKinds } from "../../contract/update-kinds.ts";
import { installedVersions, setAsideAt } from "../../releases/journal-queries.ts";
import { type Blocker, type Blockers, blockerSentences, noBlockers } from "../../releases/kind-blockers.ts";
import { countForOthers, countWords, isForOthers, passedOverWords } from "../../releases/passed-over.ts";
import { compareVersions } from "../../releases/semver.ts";
import {
  applySituationOf,
  availableRelease,
  blockedReason,
  circumstancesOf,
} from "../apply/apply-conditions.ts";
import { type ApplyHindrance, applyHindranceOf } from "../apply/apply-decision.ts";
import { hindranceOf } from "../apply/hold-reason.ts";
import { windowsAt } from "../apply/windows.ts";
import type { Downloads } from "../download/downloads.ts";
import type { UpdateParts } from "../update-parts.ts";
import type { StoredCheck, StoredRelease } from "../update-record.ts";
import { idle } from "./progress.ts";
import { outcomeState, refusalSentence, type TrialView, trialState, trialView } from "./trial-view.ts";
import { type Situation, type State, stateOf } from "./update-summary.ts";

/** How updates are, as people and programs read it. */
export function updatesStatus(parts: UpdateParts): UpdatesStatus {
  const { options, trust, progress, watch } = parts;
  const { ota, windows } = options.settings();
  const record = options.record.read();
  const now = options.now();
  const shown = updateKinds.flatMap((kind) => shownRelease(parts, kind));
  const seconds = parts.nextCheckIn();
  const trial = trialView(watch.journal(), { now, uptime: options.uptime(), bootId: options.bootId });
  const { state, message } = stateOf(situationOf(parts, shown, trial));
  const of = (kind: Release["kind"]) => shown.find(({ release }) => release.kind === kind)?.release ?? null;
  const aside = setAsideAt(watch.journal(), now);
  return {
    state,
    message,
    channel: ota.channel,
    product: options.product,
    installed: { ...installedVersions(watch.journal(), options.installed()) },
    available: { rules: of("rules"), binary: of("binary") },
    blockers: shownBlockers(record.blockers ?? noBlockers),
    passed_over: [...passedOverNow(parts)],
    ...(record.passed_over_counts && { passed_over_counts: record.passed_over_counts }),
    trial,
    failed: aside.filter(({ why }) => why === "failed"),
    held: aside.filter(({ why }) => why !== "failed"),
    postponed: { rules: postponedUntil(parts, "rules"), binary: postponedUntil(parts, "binary") },
    trust: trust.view(),
    progress: progress.present(),
    schedule: {
      enabled: ota.enabled,
      server: ota.server,
      next_check_at: seconds === null ? null : new Date(now.getTime() + seconds * 1_000).toISOString(),
      last_check: record.last_check && shownCheck(record.last_check),
      last_success_at: record.last_success_at,
      failures: record.failures,
      window_open: windowsAt(windows, now).isOpen,
    },
  };
}

/** What is shown as progress while neither a check nor a download is under way. */
export function restingProgress({ watch, options, applying }: UpdateParts): UpdateProgress {
  const moment = { now: options.now(), uptime: options.uptime(), bootId: options.bootId };
  const trial = trialView(watch.journal(), moment);
  if (trial !== null) return { ...idle, phase: trial.phase, release_id: trial.id, name: trial.name };
  const handing = applying.handing();
  if (handing === null) return idle;
  return { ...idle, phase: handing.isBack ? "rolling_back" : "verifying", release_id: handing.id };
}

/** What the last check did not choose, but for what has no more to say: something newer was found or installed since. */
function passedOverNow(parts: UpdateParts): readonly PassedOver[] {
  const { options, watch } = parts;
  const installed = installedVersions(watch.journal(), options.installed());
  return (options.record.read().passed_over ?? []).filter(({ code, kind, version, here, offered }) => {
    if (kind === null || version === null || code === "other_product") return true;
    if (code === "not_newer") return here === installed[kind] && availableRelease(parts, kind) === null;
    if (code === "other_channel" && offered === options.settings().ota.channel) return false;
    const present = installed[kind];
    return present === null || compareVersions(version, present) > 0;
  });
}

/** Releases for others that are named in the sentence. */
const namedForOthers = 3;

/** In a sentence, for a person who waits for one of them; null: there are none. */
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

interface Shown {
  readonly release: Release;
  readonly why: ApplyHindrance | null;
}

function situationOf(parts: UpdateParts, shown: readonly Shown[], trial: TrialView | null): Situation {
  const { options, downloads, progress, watch, applying } = parts;
  const { ota } = options.settings();
  const record = options.record.read();
  const present = progress.present();
  const withWhy = (kind: ApplyHindrance["kind"]) =>
    new Set(shown.filter(({ why }) => why?.kind === kind).map(({ release }) => release.id));
  const handing = applying.handing();
  const handed: State | null = handing && {
    state: handing.isBack ? "rolling_back" : "verifying",
    message: `${handing.words}: root's side has been asked.`,
  };
  return {
    blocked: blockedReason(parts),
    phase: present?.phase === "checking" || present?.phase === "downloading" ? present.phase : null,
    fetching: downloads.fetching(),
    isEnabled: ota.enabled,
    server: ota.server,
    isClockTrusted: options.isClockTrusted(),
    lastCheck: record.last_check,
    // Where nothing at all could be judged, the failure of the check says it.
    blockers: record.last_check?.outcome === "ok" ? blockerSentences(record.blockers ?? noBlockers) : [],
    forOthers: forOthersNow(parts),
    releases: shown.map(({ release }) => release),
    waitingForClock: withWhy("clock"),
    waitingForWindow: withWhy("window"),
    setAside: withWhy("held"),
    trial: trial === null ? handed : trialState(trial),
    outcome: outcomeState(watch.journal()),
    problem: problemOf(parts, withWhy("refused")),
  };
}

/** Of what was asked for last; what stands beside its release already is not said twice. */
function problemOf({ applying, watch }: UpdateParts, refused: ReadonlySet<string>): string | null {
  const entry = watch.journal().history.at(-1);
  if (applying.problem() !== null) return applying.problem();
  const isNews = entry?.outcome === "refused" && !refused.has(entry.release_id ?? "");
  return isNews ? refusalSentence(entry) : null;
}

function shownRelease(parts: UpdateParts, kind: Release["kind"]): Shown[] {
  const { downloads } = parts;
  const stored = availableRelease(parts, kind);
  if (stored === null) return [];
  const staged = downloads.isStaged(stored.id);
  const why = staged
    ? applyHindranceOf(stored, applySituationOf(parts))
    : hindranceOf(stored, circumstancesOf(parts));
  const hindrance = why?.text ?? (staged ? null : failureText(stored, downloads));
  return [{ release: { ...stored, hindrance, staged }, why }];
}

/** Of what is available; what somebody once postponed may be no more. */
function postponedUntil(parts: UpdateParts, kind: Release["kind"]): string | null {
  const { record, now } = parts.options;
  const postponed = record.read().postponed[kind];
  if (postponed === null || postponed.release_id !== availableRelease(parts, kind)?.id) return null;
  return Date.parse(postponed.until) > now().getTime() ? postponed.until : null;
}

function failureText({ id }: StoredRelease, downloads: Downloads): string | null {
  const failure = downloads.failureOf(id);
  return failure === null ? null : `the last download failed, and is tried again: ${failure}`;
}

/** A release that was rolled back may not know a code that a newer one has stored. */
function shownCheck(check: StoredCheck): UpdatesStatus["schedule"]["last_check"] {
  return { ...check, code: check.code === null ? null : knownCode(check.code) };
}

function shownBlockers({ rules, binary }: Blockers): NonNullable<UpdatesStatus["blockers"]> {
  const shown = (one: Blocker | null) => one && { ...one, code: knownCode(one.code) };
  return { rules: shown(rules), binary: shown(binary) };
}

function knownCode(code: string): ErrorCode {
  return isKnown(code) ? code : "internal_error";
}

function isKnown(code: string): code is ErrorCode {
  return Object.hasOwn(errorCodes, code);
}
