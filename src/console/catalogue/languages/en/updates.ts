import type { PassedOver, TrustStatus, UpdateTrial } from "../../../../contract/types.ts";
import { updateWords } from "../../../../contract/words/en/updates.ts";

type HealthAnswer = NonNullable<UpdateTrial["health"]["last"]>;

/** Facts about a release that is not for this device: its own value, and the device's. */
export interface PassedOverFacts {
  readonly offered: string;
  readonly here: string;
  /** The publisher's reason. */
  readonly detail: string;
}

export const updates = {
  /** Words for holds, for the summary of updates, and for the ends of attempts. */
  ...updateWords,
  checkNow: "Check now",
  kinds: { rules: "Rules", binary: "Service" },
  about: {
    rules: "New rules are loaded while the service runs.",
    binary:
      "A new version restarts the service. If that service is Steward, this page reconnects automatically.",
  },
  /** A time of day, and a day, within a sentence. */
  atTime: (time: string) => `at ${time}`,
  onDay: (day: string) => `on ${day}`,
  goodSince: (moment: string) => `good since ${moment}`,
  noneKnown: "not installed",
  nothingNewer: "Up to date.",
  asDelivered: "came with the device",
  quoted: (text: string) => `“${text}”`,
  staged: "downloaded and verified",
  urgent: "urgent",
  notes: "Release notes",
  automatic: "It is applied automatically.",
  /** Attempts by their outcome. */
  attempts: {
    good: (version: string, when: string) => `${version} was applied ${when}.`,
    failed: (version: string, when: string) => `${version} failed here ${when} and was undone.`,
    deferred: (version: string, when: string) =>
      `${version} was undone ${when}, because the device restarted during its trial.`,
    aborted: (version: string, when: string) => `Root stopped ${version} ${when}.`,
    rolled_back: (version: string, when: string) => `${version} was undone by hand ${when}.`,
    refused: (version: string, when: string) => `${version} was refused ${when}.`,
  },
  /** Leads to the reason of an attempt. */
  reason: "Why?",
  /** Releases that were found and are not chosen, by code. */
  passedOver: {
    withdrawn: (version, { detail }) =>
      `The publisher has withdrawn ${version}${detail === "" ? "." : `: ${detail}`}`,
    needs_newer_agent: (version, { offered }) => `${version} needs Steward ${offered} or newer.`,
    below_floor: (version, { here }) => `${version} is older than the publisher allows: at least ${here}.`,
    unreadable: (version) => `The description of ${version} cannot be read.`,
    failed: (version) => `${version} failed on this device before.`,
    held: (version) => `${version} was undone on this device before.`,
    other_channel: (version, { offered }) => `${version} is on another channel: ${offered}.`,
    other_arch: (version, { offered }) => `${version} is for another kind of processor: ${offered}.`,
    other_product: (version, { offered }) => `${version} is for another product: ${offered}.`,
    not_newer: (version, { here }) =>
      version === here ? `${version} is installed.` : `${version} is not newer than ${here}.`,
  } satisfies Record<PassedOver["code"], (version: string, facts: PassedOverFacts) => string>,
  checked: (when: string) => `Checked for updates ${when}.`,
  nextCheckComes: (when: string) => `The next check comes ${when}.`,
  scheduled: "Scheduled updates are on.",
  inShort: (channel: string, scheduled: string) => `Channel ${channel}. ${scheduled}`,
  notScheduledNext: "Scheduled updates are off.",
  /** The one button that leads on from a problem. */
  remedies: {
    check: "Check again",
    settings: "Open the settings",
    trust: "Show how",
    clock: "Show the clock",
    logs: "Show the logs",
  },
  answers: { healthy: "healthy", not_healthy: "not healthy" } satisfies Record<HealthAnswer["code"], string>,
  why: {
    underWay: (what: string) => `Another update is in progress: ${what}`,
    checking: "A check for updates is in progress",
    nothingBefore: "There is no earlier release that worked on this device",
  },
  apply: "Update now",
  applyTitle: (release: string) => `Update to ${release}`,
  applyText: "It starts now, without waiting for its rollout stage or an update window.",
  applyUndone: (version: string) =>
    `Then it is watched. If it does not become healthy in time, it is undone automatically and ${version} comes back.`,
  theFormer: "the current release",
  undo: "Undo",
  undoOf: (release: string) => `Undo: ${release}`,
  undoVerb: "Undo this update",
  undoTitle: (release: string) => `Undo ${release}`,
  undoText: (former: string, present: string) =>
    `${former} comes back, which worked on this device. ${present} is not applied automatically again; an administrator can apply it.`,
  later: "Later",
  /** By how long. */
  laterBy: { "1h": "In an hour", "1d": "Tomorrow at this time", "7d": "In a week", own: "Another time …" },
  postpone: "Postpone",
  postponed: "Postponed",
  endPostponement: "Do not postpone any longer",
  notPostponed: "No longer postponed",
  postponedUntil: (when: string) => `Postponed: it continues ${when}`,
  postponeTitle: (release: string) => `Postpone ${release}`,
  postponeText:
    "Until then it is applied only if an administrator does so. A newer release is not postponed.",
  duration: "For how long",
  durationHint: "5 minutes to 30 days",
  durationWrong: "A duration from 5 minutes to 30 days is expected",
  happening: "Progress",
  steps: {
    checking: "checking",
    downloading: "downloading",
    verifying: "verifying",
    installing: "installing",
    confirming: "confirming",
    rolling_back: "undoing",
    watching_former: "watching the earlier release",
  },
  comesBack: (version: string) => `${version} comes back if it fails`,
  of: (done: number | string, all: number | string) => `${done} of ${all}`,
  checksOf: (done: number, all: number) => `${done} of ${all} checks`,
  left: (time: string) => `about ${time} left`,
  healthyBy: "It must be healthy",
  lastAnswer: "last answer:",
  outcomes: {
    good: "good",
    failed: "failed and undone",
    deferred: "undone because of restarts",
    aborted: "undone by root",
    rolled_back: "undone by hand",
    refused: "refused",
  },
  trust: "Trust",
  trusted: "trusted",
  notTrusted: "not trusted",
  /** The next step that trust needs, by code. */
  trustSteps: {
    not_installed: "No root of trust is installed",
    unusable: "The root of trust cannot be used",
    not_confirmed: "The fingerprint has not been compared yet",
    server_not_set: "No update server is set",
    not_proven: "The update server has not been checked yet",
    established: "",
  } satisfies Record<TrustStatus["code"], string>,
  confirmedBy: (name: string) => `confirmed by ${name}`,
  fingerprint: "Fingerprint (SHA-256)",
  confirmed: "Confirmed by",
  unconfirmedBy: "not confirmed",
  rootVersion: "Root version",
  keys: "Keys whose signatures count",
  confirmFingerprint: "Compare the fingerprint",
  compare:
    "Get the fingerprint from your publisher without using this device, for example by telephone or letter, and type it here. It is compared with the installed root. The holder of its keys decides what runs on this device.",
  installedFingerprint:
    "This is the fingerprint of the installed root; groups that differ are marked. If your publisher names another one, do not confirm: another person may have installed a root of their own.",
  publishersFingerprint: "Fingerprint from the publisher",
  publishersHint: "All 64 digits. Spaces, colons and capitals do not matter.",
  otherFingerprint: "This is not the fingerprint of the installed root",
  schedule: "Schedule",
  nextCheck: "Next check",
  soon: "soon",
  notScheduled: "not scheduled",
  lastCheck: "Last check",
  notChosen: "Not for this device",
  checks: { ok: "OK", failed: "failed", waiting_for_clock: "waiting for the clock" },
  failures: (count: number) => `${count} in a row`,
  windows: "Update windows",
  windowOpen: "open now",
  windowClosed: "closed now, except for urgent releases",
  history: "History",
  noHistory: "Nothing has been applied on this device yet.",
  when: "When",
  release: "Release",
  what: "The release",
  how: "Result",
  log: "log",
  before: "Before",
  formerBack: "The earlier release runs again and is healthy.",
  formerNotHealthy: "The earlier release is not healthy either",
  took: "Took",
  by: "By",
  lastLines: "The last lines of its log",
  again: "Try again",
  againLater: "It is not available: check for updates first",
  settings: "Update settings",
  tooEarly: "The publisher must be trusted first.",
  whySigned:
    "This cannot be turned off. It keeps others from deciding what runs on this device, even if they control the server or the network.",
  signatures: "Signatures",
  always: "always verified",
};
