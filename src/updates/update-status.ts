import { type ErrorCode, errorCodes } from "../contract/error-codes.ts";
import type { Release, Updates as UpdatesStatus } from "../contract/types.ts";
import { updateKinds } from "../contract/updates.ts";
import type { Downloads } from "./downloads.ts";
import { type Circumstances, type Hindrance, hindranceOf } from "./hindrance.ts";
import type { Progress } from "./progress.ts";
import { compareVersions } from "./semver.ts";
import type { Trust } from "./trust.ts";
import type { StoredCheck, StoredRelease } from "./update-record.ts";
import { stateOf } from "./update-state.ts";
import type { UpdaterOptions } from "./updater-options.ts";
import { windowsAt } from "./windows.ts";

/** What the status is made of. */
export interface StatusParts {
  readonly options: UpdaterOptions;
  readonly trust: Trust;
  readonly downloads: Downloads;
  readonly progress: Progress;
  /** Seconds; null: no check is planned. */
  readonly nextCheckIn: () => number | null;
}

/** How updates are, as people and programs read it. */
export function updatesStatus(parts: StatusParts): UpdatesStatus {
  const { options, trust, downloads, progress } = parts;
  const { ota, windows } = options.settings();
  const record = options.record.read();
  const now = options.now();
  const { isOpen, opensAt } = windowsAt(windows, now);
  const shown = updateKinds.flatMap((kind) => shownRelease(parts, kind));
  const present = progress.present();
  const seconds = parts.nextCheckIn();
  const { state, message } = stateOf({
    blocked: blockedReason(parts),
    phase: present === null || present.phase === "idle" ? null : present.phase,
    fetching: downloads.fetching(),
    isEnabled: ota.enabled,
    server: ota.server,
    isClockVouchedFor: options.isClockVouchedFor(),
    lastCheck: record.last_check,
    releases: shown.map(({ release }) => release),
    waitingForClock: new Set(
      shown.filter(({ why }) => why?.kind === "clock").map(({ release }) => release.id),
    ),
    isWindowOpen: isOpen,
    opensAt,
  });
  const of = (kind: Release["kind"]) => shown.find(({ release }) => release.kind === kind)?.release ?? null;
  return {
    state,
    message,
    channel: ota.channel,
    product: options.product,
    installed: { ...options.installed() },
    available: { rules: of("rules"), binary: of("binary") },
    trust: trust.view(),
    progress: present,
    schedule: {
      enabled: ota.enabled,
      server: ota.server,
      next_check_at: seconds === null ? null : new Date(now.getTime() + seconds * 1_000).toISOString(),
      last_check: record.last_check && shownCheck(record.last_check),
      last_success_at: record.last_success_at,
      failures: record.failures,
      window_open: isOpen,
    },
  };
}

/** Why nothing works at all; null: it does. */
export function blockedReason({ options, trust }: Pick<StatusParts, "options" | "trust">): string | null {
  const { ota } = options.settings();
  if (!ota.verify_signature) return unverified;
  const standing = trust.standing();
  if (standing.kind === "unusable") return standing.error.message;
  const isMissed = standing.kind === "none" && ota.enabled;
  return isMissed ? trust.view().detail : null;
}

/** What stands in the way of fetching a release now. */
export function circumstancesOf({ options, trust }: Pick<StatusParts, "options" | "trust">): Circumstances {
  return {
    blocked: blockedReason({ options, trust }),
    ota: options.settings().ota,
    isTrustEstablished: trust.isEstablished(),
    isClockVouchedFor: options.isClockVouchedFor(),
    now: options.now(),
  };
}

/** Nothing runs that is not signed: the setting stands only in a file that was edited by hand. */
export const unverified =
  "update.ota.verify_signature is false in settings.json: updates are blocked until it is true again, for nothing runs here that is not signed";

interface Shown {
  readonly release: Release;
  readonly why: Hindrance | null;
}

/** What was found stays shown over restarts, until it is installed or the channel is another one. */
function shownRelease(parts: StatusParts, kind: Release["kind"]): Shown[] {
  const { options, downloads } = parts;
  const stored = options.record.read().available[kind];
  if (stored === null || stored.channel !== options.settings().ota.channel) return [];
  const installed = options.installed()[kind];
  if (installed !== null && compareVersions(stored.version, installed) <= 0) return [];
  const staged = downloads.isStaged(stored.id);
  const why = hindranceOf(stored, circumstancesOf(parts));
  const hindrance = staged ? null : (why?.text ?? failureText(stored, downloads));
  return [{ release: { ...stored, hindrance, staged }, why }];
}

function failureText({ id }: StoredRelease, downloads: Downloads): string | null {
  const failure = downloads.failureOf(id);
  return failure === null ? null : `the last download failed, and is tried again: ${failure}`;
}

/** A release that was rolled back may not know a code that a newer one has stored. */
function shownCheck(check: StoredCheck): UpdatesStatus["schedule"]["last_check"] {
  return { ...check, code: check.code === null ? null : isKnown(check.code) ? check.code : "internal_error" };
}

function isKnown(code: string): code is ErrorCode {
  return Object.hasOwn(errorCodes, code);
}
