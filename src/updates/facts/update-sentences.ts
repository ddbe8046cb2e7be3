import type {
  HistoryEntry,
  Release,
  ReleaseHold,
  TrialNextStep,
  TrustStatus,
  UpdateReason,
  UpdateSummary,
} from "../../contract/types.ts";
import { fullSentence } from "../../releases/outcome-reasons.ts";
import type { UpdateKind } from "../../releases/release.ts";

/** All that the room says in English, for clients that do not know a code; each function gives whole sentences. */

interface Named {
  readonly kind: UpdateKind | null;
  readonly name: string | null;
  readonly version: string | null;
}

/** `the rules base 1.2.0`, in the middle of a sentence. */
export function nameOf({ kind, name, version }: Named): string {
  if (name === null || version === null) return unnamed[kind ?? "unknown"];
  return kind === "rules" ? `the rules ${name} ${version}` : `${name} ${version}`;
}

const unnamed = { rules: "a release of rules", binary: "a binary release", unknown: "a release" } as const;

/** At the beginning of a sentence. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function namesOf(releases: readonly Named[]): string {
  return capitalised(releases.map(nameOf).join(" and "));
}

/** What a hold is about, besides its code. */
export interface HoldFacts {
  readonly kind?: UpdateKind;
  readonly until?: string | null;
  readonly reason?: UpdateReason | null;
  /** The channel that is not allowed, and those that are. */
  readonly channel?: string;
  readonly allowedChannels?: readonly string[];
  /** The work in progress, or why something cannot be read. */
  readonly what?: string;
}

export function holdSentence(code: ReleaseHold["code"], facts: HoldFacts = {}): string {
  const reason = facts.reason?.detail ?? "No reason is known.";
  return holdSentences[code]({ kind: "rules", until: null, what: "", ...facts, cause: reason });
}

type KnownFacts = HoldFacts & { readonly kind: UpdateKind; readonly what: string; readonly cause: string };

const holdSentences: Readonly<Record<ReleaseHold["code"], (facts: KnownFacts) => string>> = {
  signature_verification_off: () =>
    "update.ota.verify_signature is false in settings.json. Updates are blocked until it is true: this device installs signed releases only.",
  channel_not_allowed: ({ channel = "", allowedChannels = [] }) =>
    `The host file does not allow the channel "${channel}" of update.ota.channel. Updates are blocked until it is one of these: ${allowedChannels.join(", ")}.`,
  trust_not_installed: () =>
    "No root of trust is installed, so no update can be verified. As root on this device, run `steward update trust install FILE` with your publisher's root.json.",
  trust_unusable: ({ cause }) => cause,
  journal_unreadable: ({ what }) => `${what} Nothing is applied until it can be read.`,
  not_verifiable: ({ kind, reason }) =>
    `The last check could not verify the publisher's metadata for ${kind === "rules" ? "rules" : "binaries"} (${reason?.code ?? "unknown"}).`,
  failed: ({ cause }) =>
    `It failed on this device and is not applied again. ${cause} Publish a newer release, or allow this one as root with \`steward update apply --again\`.`,
  held: ({ cause }) => `It is held and applied on request only. ${cause}`,
  deferred: ({ until, cause }) =>
    `It is deferred${until ? ` until ${until}` : ""}, and applied before that on request only. ${cause}`,
  not_configured: ({ kind }) =>
    `The host file of this device does not say how ${kind === "rules" ? "rules are" : "a binary is"} activated (update.${kind}).`,
  not_automatic: ({ kind }) =>
    `update.ota.auto_update_${kind} is off, so it is fetched and applied on request only.`,
  trust_not_established: () =>
    "The root of trust is not established: an administrator must confirm it, and the update server must complete one check under it.",
  clock_not_trusted: () =>
    "The clock of this device is not trusted, so the agent cannot tell whether the release has expired.",
  wave: ({ until }) => `It is released in waves and reaches this device at ${until}.`,
  disabled: () => "update.ota.enabled is off, so it is applied on request only.",
  refused: ({ cause, until }) => `The installer refused it. ${cause}${triedAgain(until)}`,
  installer_unavailable: ({ cause, until }) =>
    `The installer could not be started. ${cause}${triedAgain(until)}`,
  postponed: ({ until }) => `It is postponed until ${until}.`,
  window: ({ until }) =>
    `It waits for the next of update.windows${until ? `, which opens at ${until}` : ""}.`,
  busy: ({ what }) => `It waits: ${what}.`,
  download_failed: ({ cause }) => `The last download failed, and is tried again. ${cause}`,
};

function triedAgain(until: string | null | undefined): string {
  return until ? ` The agent tries again at ${until}.` : "";
}

export function trustSentence(code: TrustStatus["code"], reason: UpdateReason | null = null): string {
  switch (code) {
    case "not_installed":
      return holdSentence("trust_not_installed");
    case "unusable":
      return holdSentence("trust_unusable", { reason });
    case "not_confirmed":
      return "The fingerprint of this root is not confirmed. Compare it with the one that the publisher gives out elsewhere, then confirm it with `steward update trust confirm FINGERPRINT` or in the console.";
    case "server_not_set":
      return "No update server is set. Set update.ota.server, then check for updates.";
    case "not_proven":
      return "The update server has not completed a check under this root yet. Check for updates.";
    case "established":
      return "The root of trust is installed, confirmed and proven.";
  }
}

/** What comes next in a trial; `restore` and `watch_former` with why it is undone. */
export function trialStepSentence({
  code,
  answers_left,
  until,
  reason,
}: Omit<TrialNextStep, "detail">): string {
  const why = reason === null ? "" : ` Reason: ${reason.detail}`;
  switch (code) {
    case "activate":
      return "It is being unpacked and tested. Nothing has been changed yet.";
    case "watch":
      return "It is activated next, and its health is watched.";
    case "collect_answers": {
      const answers =
        answers_left === 1 ? "1 more healthy answer" : `${answers_left} more healthy answers in a row`;
      return `After ${answers} it is kept. Without them${until === null ? "" : ` by ${until}`} it is undone.`;
    }
    case "restore":
      return `The previous release is activated next, and its health is watched.${why}`;
    case "watch_former":
      return `The previous release is running again, and its health is watched.${why}`;
  }
}

/** What a summary is about, besides its code. */
export interface SummaryFacts extends Partial<Pick<UpdateSummary, "releases" | "at" | "reason" | "hold">> {
  readonly step?: string;
  readonly lastAnswer?: string | null;
  /** Behind the sentence of a check that found nothing newer. */
  readonly more?: readonly string[];
  readonly entry?: Pick<HistoryEntry, "outcome" | "restored_healthy">;
  readonly isRollback?: boolean;
}

export function summarySentence(code: UpdateSummary["code"], facts: SummaryFacts = {}): string {
  const { releases = [], lastAnswer = null } = facts;
  const what = releases.length === 0 ? "A release" : namesOf(releases);
  const answered = lastAnswer === null ? "" : ` The last health check: ${fullSentence(lastAnswer)}`;
  return summarySentences[code]({ hold: null, at: null, reason: null, step: "", ...facts, what, answered });
}

type KnownSummary = SummaryFacts & { readonly what: string; readonly answered: string };

const clockAdvice = "Updates continue when the clock is synchronised or set: see `steward time status`.";

const blockedSentence = ({ hold }: KnownSummary): string => hold?.detail ?? "";

const summarySentences: Readonly<Record<UpdateSummary["code"], (facts: KnownSummary) => string>> = {
  signature_verification_off: blockedSentence,
  channel_not_allowed: blockedSentence,
  trust_not_installed: blockedSentence,
  trust_unusable: blockedSentence,
  checking: () => "Checking for updates.",
  downloading: ({ releases = [] }) => `Downloading ${releases.map(nameOf).join(" and ") || "a release"}.`,
  requested: ({ what, isRollback }) =>
    `${what} is to be ${isRollback ? "rolled back" : "applied"}: the installer has been started.`,
  installing: ({ what, step }) => `${what} is being installed. ${step}`,
  confirming: ({ what, step, answered }) =>
    `${what} is running, and its health is being watched. ${step}${answered}`,
  rolling_back: ({ what, step, answered }) => `${what} is being undone. ${step}${answered}`,
  waiting_for_clock: ({ what }) =>
    `${what} is available, but not fetched while the clock of this device is not trusted. ${clockAdvice}`,
  check_waiting_for_clock: () =>
    `The last check could not tell whether the server's metadata have expired, because the clock of this device is not trusted. ${clockAdvice}`,
  available: ({ what, hold }) => `${what} is available. ${hold?.detail ?? "The next check fetches it."}`,
  staged: ({ what, hold }) =>
    `${what} has been downloaded and verified, and can be applied.${hold ? ` ${hold.detail}` : ""}`,
  applied: ({ what, at }) => `${what} was applied at ${at} and is healthy.`,
  undone: undoneSentence,
  server_not_set: () => "No update server is set: set update.ota.server to get updates.",
  not_checked: () => "No check has been made yet: the agent makes the first one soon.",
  not_checked_disabled: () =>
    "No check has been made yet, and update.ota.enabled is off: check now, or turn it on.",
  nothing_newer: ({ at, more = [] }) =>
    [`The last check, at ${at}, found nothing newer for this device.`, ...more].join(" "),
  check_failed: ({ at, reason }) =>
    `The last check, at ${at}, failed. ${reason?.detail ?? "No reason is known."}`,
};

const sequels: Readonly<Record<HistoryEntry["outcome"], string>> = {
  failed:
    "It is not applied again: publish a newer release, or allow this one as root with `steward update apply --again`.",
  deferred: "The agent tries it again in a day; it can be applied on request before that.",
  aborted: "It is held, and applied again on request only.",
  rolled_back: "It is held, and applied again on request only.",
  good: "",
  refused: "",
};

function undoneSentence({ what, at, reason, entry }: KnownSummary): string {
  const former = entry?.restored_healthy === false ? ` ${formerNotHealthy}` : "";
  const sequel = entry === undefined ? "" : ` ${sequels[entry.outcome]}`;
  return `${what} was undone at ${at}. ${reason?.detail ?? ""}${former}${sequel} Its last log lines: \`steward update history\`.`;
}

const formerNotHealthy =
  "The previous release is running again and is not healthy either: look at the device and its log now.";

/** Automatic updates of the program are on, without the trust that they need. */
export const ineffectiveSentence =
  "update.ota.auto_update_binary is on but has no effect, because the root of trust is not established.";

/** A release that the installer refused. */
export function refusedSentence(release: Named, at: string, reason: UpdateReason): string {
  return `${capitalised(nameOf(release))} was refused at ${at}. ${reason.detail}`;
}

/** What was asked for and could not be begun. */
export function requestFailedSentence(release: Named | null, reason: UpdateReason): string {
  const what = release === null ? "The requested update" : capitalised(nameOf(release));
  return `${what} could not be applied. ${reason.detail}`;
}

export function checksFailedSentence(failures: number, reason: string): string {
  const checks =
    failures > 1 ? `The last ${failures} checks for updates failed.` : "The last check for updates failed.";
  return `${checks} ${reason}`;
}

/** A kind whose metadata could not be verified. */
export function notVerifiableSentence(kind: Release["kind"], reason: string): string {
  return `${kind === "rules" ? "No rules are accepted." : "No binary is accepted."} ${reason}`;
}
