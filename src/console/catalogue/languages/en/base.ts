import type { OwnNeedCode } from "../../../../contract/findings.ts";
import type { ProductNeedCode, SetupNeedCode } from "../../../../contract/need-areas.ts";
import type { Need } from "../../../../contract/types.ts";
import type { UpdateTile } from "../../../../contract/updates/update-summaries.ts";
import { eventActors, eventSentences } from "../../../../contract/words/en/events.ts";
import { needWords } from "../../../../contract/words/en/needs.ts";
import { problemTitles } from "../../../../contract/words/en/problems.ts";

export const ui = {
  show: "Show",
  hide: "Hide",
  close: "Close",
  done: "Done",
  goOn: "Continue",
  later: "Later",
  remove: "Remove",
  name: "Name",
  twoFactor: "Second factor",
  progress: "Progress",
  cancel: "Cancel",
  save: "Save",
  copy: "Copy",
  copied: "Copied",
  matches: (count: number) => (count === 0 ? "No match" : `${count} ${count === 1 ? "match" : "matches"}`),
  marked: "Selected: copy it with your keyboard",
  wait: (left: string) => `Try again in ${left}`,
  download: "Download",
  print: "Print",
  loading: "Loading",
  typeToConfirm: (word: string) => `Type ${word} to confirm`,
  unsaved: "Unsaved changes",
  unsavedText: "Your changes on this page are not saved. If you leave, they are lost.",
  shownOnce: "Shown only this once",
  shownOnceText: "It cannot be shown again. Close this only once it is kept or handed over.",
  leaveSecret: "Close anyway",
  leave: "Leave without saving",
  stay: "Stay",
  keepMine: "Keep mine",
  takeTheirs: "Take theirs",
  saved: "Saved",
  expires: "Expires",
  unit: "Unit",
  blankAround: "It begins or ends with a space.",
  again: "Try again",
};

export const time = { never: "never", now: "just now" };

export const problem = {
  request: "Request",
  technical: "Technical details",
  notRead: "This could not be loaded.",
  perhaps: "It is not known whether the device has done what you asked for. Check before you send it again.",
  faults: {
    silent: { title: "The device did not answer", text: "" },
    unsent: {
      title: "The device did not answer",
      text: "Nothing was sent, and your entries are still here.",
    },
    foreign: {
      title: "The answer did not come from this device",
      text: "A proxy, or the sign-in page of your network, is in between.",
    },
    unloaded: {
      title: "A part of this page could not be loaded",
      text: "Steward may have been updated. Reload the page.",
    },
    unexpected: { title: "Something went wrong in this page", text: "Reload the page." },
  },
  late: { title: "The device has not answered yet", wait: "Keep waiting", look: "Check now" },
  /** Instead of the agent's title, by its code. */
  codes: problemTitles,
  /** The error of one entry, by the code of the agent's check; the figure is the bound. Empty: the agent's words. */
  entries: {
    required: () => "This is needed",
    pattern: () => "",
    format: () => "",
    type: () => "A whole number is expected",
    minimum: (figure: string) => `At least ${figure}`,
    maximum: (figure: string) => `At most ${figure}`,
    minLength: (figure: string) => (figure === "" ? "This is needed" : `At least ${figure} characters`),
    maxLength: (figure: string) => `At most ${figure} characters`,
    minItems: () => "At least one is needed",
    maxItems: (figure: string) => `At most ${figure}`,
    uniqueItems: () => "The same entry appears twice",
    out_of_range: () => "",
    forbidden: () => "You are not allowed to change this",
    no_code: () => "A code has six digits",
    no_recovery_code: () => "A recovery code has 16 letters and digits",
    must_be_true: () => "Signatures are always verified",
    password_too_short: (figure: string, least: string) =>
      least === ""
        ? ""
        : `This password is too short: ${figure} characters, and at least ${least} are needed`,
    password_too_long: (figure: string, most: string) =>
      most === "" ? "" : `This password is too long: ${figure} characters, and at most ${most} are accepted`,
  },
};

export const frame = {
  sections: "Sections",
  users: "Users",
  system: "System",
  updates: "Updates",
  account: "Your account",
  signOut: "Sign out",
  noPage: "Page not found",
  noPageText: (path: string) => `There is no page at ${path}.`,
  toHome: "Go to Home",
  skip: "Skip to the content",
  reconnecting: "The device does not answer. Reconnecting …",
  asOf: (time: string) => `You see what was known at ${time}.`,
  outOfDate: "Steward was updated. Reload this page.",
  /** An update under way, by the code of the summary. */
  running: {
    requested: (release: string) => `${release} is being applied.`,
    installing: (release: string) => `${release} is being applied.`,
    confirming: (release: string) => `${release} is being watched. It is undone if it does not work.`,
    rolling_back: (release: string) => `${release} is being undone.`,
  },
  watch: "Watch it",
  toDo: (count: number): string => (count === 1 ? "needs a person" : "need a person"),
  find: "Find",
  findKeys: "Ctrl K",
  themes: { system: "Theme: same as browser", light: "Theme: light", dark: "Theme: dark" },
  help: "Help with this page",
  metrics: "Metrics",
  reload: "Reload",
  clock: "Clock: ",
  clockTo: ". Go to the clock.",
  fewCodes: (count: number) =>
    count === 0
      ? "You have no recovery codes left. If you lose your authenticator, you cannot sign in."
      : `You have ${count === 1 ? "one recovery code" : `${count} recovery codes`} left.`,
  codesLink: "Create new ones",
  passwordMustChange: "Choose your own password before you continue.",
  mustEnrol: "This device requires a second factor. Set it up before you continue.",
  clockWords: {
    in_sync: "in sync",
    set_by_hand: "set by hand",
    not_in_sync: "not in sync",
    unknown: "unknown",
  },
};

export const signIn = {
  title: "Sign in",
  username: "User name",
  password: "Password",
  code: "Code",
  codeHint: "The six digits that your authenticator shows",
  recoveryCode: "Recovery code",
  recoveryCodeHint: "One of the ten codes that you saved; each works once",
  nextCode: "Wait for the next code and type that one",
  lost: "I have lost my authenticator",
  lostHint: "Removes it, so that you can set up another one",
  skewSuspected: (time: string) =>
    `This code belongs to another time: the clock of this device or of your authenticator is wrong. The device says ${time}. A recovery code works in any case.`,
  clockInDoubt: (time: string) =>
    `Codes depend on the clock of this device, which is not in sync. It says ${time}.`,
  useRecoveryCode: "Use a recovery code",
  useCode: "Use a code",
  sessionEnded: "Your session has ended",
  sessionEndedText: "Sign in to continue. Your entries are still there.",
  otherDevice: (now: string, before: string) =>
    `${now} answers here now, not ${before}. Sign in only if that is right.`,
  abandon: "Discard them and sign out",
  atProvider: (name: string) => `Sign in with ${name}`,
  windowBlocked: "Your browser has blocked the sign-in window. Allow it for this page, and try again.",
  confirmAtProvider: "Sign in at the provider once more; you are not asked again for the next five minutes.",
  confirmTitle: "Confirm that it is you",
  confirmText: "Type your password again. It then counts for five minutes.",
  confirm: "Confirm",
  clockDiffers: (device: string, browser: string) =>
    `The clock of this device says ${device}, the one of your browser says ${browser}.`,
  clockDiffersMeaning:
    "Codes depend on the clock of this device and may be refused. A recovery code works in any case; an administrator can then correct the clock under System.",
  clockOfBrowser: "The clock of this computer or phone is wrong. Correct it.",
  rescue:
    "The stored state of this device is damaged: nothing can be changed and signing in is not possible. On the device, root finds out more with steward doctor.",
  usePasskey: "Use a passkey",
  keptOut: "Cannot sign in?",
};

export const system = {
  tabs: {
    overview: "Overview",
    device: "This device",
    settings: "Settings",
    history: "History",
    logs: "Logs",
    events: "Events",
  },
};

export const home = {
  title: "Home",
  well: "All is well.",
  needsYou: (count: number) => (count === 1 ? "One thing needs you." : `${count} things need you.`),
  needsAdministrator: (count: number) =>
    count === 1 ? "One thing needs an administrator." : `${count} things need an administrator.`,
  notKnown: "The device does not answer.",
  notKnownText: "This is what it said last.",
  up: (duration: string) => `up ${duration}`,
  atAGlance: "At a glance",
  clock: "Clock",
  host: "Host",
  warnings: "Needs attention",
  finishSetup: (count: number) => `Finish setting up (${count})`,
  deviceName: "Device name",
  lately: "Lately",
  dismiss: "Dismiss",
  all: "All events",
  inOrder: "in order",
  attention: "needs attention",
  failing: "failing",
  within: (span: string) => `within ${span}`,
  by: (source: string) => `by ${source}`,
  authenticated: "authenticated",
  checked: (when: string) => `checked ${when}`,
  neverChecked: "never checked",
  /** With its version a kind is the name of a release, everywhere. */
  kinds: { rules: "Rules", binary: "Service" },
  offered: (version: string) => `${version} is out`,
  updateStates: {
    upToDate: "up to date",
    available: "update available",
    failed: "failed and undone",
    undone: "undone",
    underWay: "update in progress",
    notSetUp: "not set up",
    unknown: "unknown",
  } satisfies Record<UpdateTile, string>,
  accounts: (administrators: number, all: number) =>
    `${all} ${all === 1 ? "user" : "users"}, ${administrators} ${administrators === 1 ? "administrator" : "administrators"}`,
  everyFactor: "all with a second factor",
  disk: "Disk",
  memory: "Memory",
  needs: needWords,
  /** The button of each need leads to where it is put right; `part`: of one that a health check finds and that has none of its own; `page`: of the product's. */
  needButtons: {
    part: "Show the parts",
    rescue: "Show the logs",
    setup_required: "Add a user",
    disk: "Show the disk",
    clock: "Correct the clock",
    updates: "Show the updates",
    update_available: "Show the update",
    update_failed: "Show why",
    update_withdrawn: "Show the update",
    users_locked: "Unlock",
    two_factor_missing: "Show the users",
    tokens_ending: "Show your tokens",
    receiver_failing: "Show the receivers",
    page: "Open the page",
    support_ending: "Show the device",
    support_ended: "Show the device",
  } satisfies Partial<Record<Need["code"], string>> &
    Record<Exclude<OwnNeedCode, ProductNeedCode | SetupNeedCode> | "part" | "page", string>,
  happened: eventSentences,
  actors: eventActors,
};
