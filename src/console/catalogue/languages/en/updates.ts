import type { TrustStatus, UpdateTrial } from "../../../../contract/types.ts";
import { updateProblems as problems } from "../../../../contract/words/en/update-problems.ts";
import { updateWords } from "../../../../contract/words/en/updates.ts";

export const updateProblems = problems;

type HealthAnswer = NonNullable<UpdateTrial["health"]["last"]>;

export const updates = {
  /** Words for holds, for the summary of updates, for attempts, and for releases that are not chosen. */
  ...updateWords,
  checkNow: "Check now",
  fromFile: "From a file",
  fromFileFor: "For a device without a network.",
  about: {
    rules: "Rules are data that the product works by. New ones are loaded while it runs.",
    binary: "The service is the product's program, or Steward itself. An update restarts it.",
  },
  /** A time of day, and a day, within a sentence. */
  atTime: (time: string) => `at ${time}`,
  onDay: (day: string) => `on ${day}`,
  goodSince: (moment: string) => `good since ${moment}`,
  nothingNewer: "Up to date.",
  asDelivered: "came with the device",
  quoted: (text: string) => `“${text}”`,
  staged: "downloaded and verified",
  urgent: "urgent",
  notes: "Release notes",
  automatic: "It is applied automatically.",
  /** Leads to the reason of an attempt. */
  reason: "Why?",
  checked: (when: string) => `Checked for updates ${when}.`,
  nextCheckComes: (when: string) => `The next check comes ${when}.`,
  channel: (channel: string) => `Channel ${channel}`,
  notScheduledNext: "Scheduled updates are off.",
  soon: "soon",
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
    underWay: (what: string) => `An update is in progress: ${what}`,
    checking: "A check for updates is in progress",
    nothingBefore: "There is no earlier release that worked on this device",
  },
  apply: "Update now",
  applyTitle: (release: string) => `Update to ${release}`,
  applyText: "It starts now, without waiting for its rollout stage or an update window.",
  applyUndone: (version: string | null) =>
    `Then it is watched. If it does not become healthy in time, it is undone automatically${version === null ? "" : ` and ${version} comes back`}.`,
  undo: "Undo",
  undoOf: (release: string) => `Undo: ${release}`,
  undoVerb: "Undo this update",
  undoTitle: (release: string) => `Undo ${release}`,
  undoText: (former: string, present: string) =>
    `${former} comes back, which worked on this device. ${present} is not applied automatically again; an administrator can apply it.`,
  /** By how long. */
  laterBy: { "1h": "In an hour", "1d": "Tomorrow at this time", "7d": "In a week", own: "Another time …" },
  postpone: "Postpone",
  postponed: "Postponed",
  endPostponement: "Do not postpone any longer",
  notPostponed: "No longer postponed",
  postponedUntil: (when: string) => `Postponed, which ends ${when}`,
  postponeTitle: (release: string) => `Postpone ${release}`,
  postponeText:
    "Until then it is applied only if an administrator does so. A newer release is not postponed.",
  duration: "For how long",
  durationHint: "5 minutes to 30 days",
  durationWrong: "A duration from 5 minutes to 30 days is expected",
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
  rootVersion: "Root version",
  keys: "Keys whose signatures count",
  compare:
    "Get the fingerprint from your publisher by telephone or letter, not through this device. The owner of the root of trust decides what runs here: until you have compared it, services are not updated automatically.",
  publishersFingerprint: "Fingerprint from the publisher",
  publishersHint: "64 digits and letters, in any grouping; text around them does not matter",
  incomplete: "Incomplete: a fingerprint has 64 digits and letters from a to f",
  sameFingerprint: "It matches: this root of trust is your publisher's.",
  otherFingerprint:
    "Do not go on: the root of trust on this device has another fingerprint. Check your entry. If it is right, the root of trust is not your publisher's: tell them. Root has to replace it.",
  differing: (count: number, all: number) => `${count} of ${all} groups differ: `,
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
  againLater: "It is not available: check for updates first",
  settings: "Update settings",
  tooEarly: "The publisher must be trusted first.",
  whySigned:
    "This cannot be turned off. It keeps others from deciding what runs on this device, even if they control the server or the network.",
  always: "always verified",
};
