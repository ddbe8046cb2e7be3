import type { Need } from "../../../../../contract/types.ts";
import type { UpdateTile } from "../../../../../contract/updates/update-summaries.ts";

/** Figures and names of a need, as people read them. */
export interface NeedFacts {
  /** The release, or the users. */
  readonly what: string;
  readonly count: number;
  /** The missing thing, by the agent's name for it. */
  readonly missing: string;
  /** A date. */
  readonly when: string;
  /** The finding of a health check and its code; empty where the need comes of none. */
  readonly cause: string;
  readonly reason: string;
  /** The clock in a word, and its trust; empty where the need is not about it. */
  readonly word: string;
  readonly trust: string;
}

/** The words of a need: its title, its explanation, and the button that leads to where a person can act. */
export interface NeedWords {
  readonly title: (facts: NeedFacts) => string;
  readonly text: (facts: NeedFacts) => string;
  readonly button: string;
}

export const homePage = {
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
  people: "People",
  host: "Host",
  yours: "Needs you",
  administrators: "Needs an administrator",
  deviceName: "Device name",
  lately: "Lately",
  dismiss: "Dismiss",
  all: "All events",
  logs: "Logs",
  nothingYet: "Nothing has happened yet.",
  inOrder: "in order",
  attention: "needs attention",
  failing: "failing",
  within: (span: string) => `within ${span}`,
  by: (source: string) => `by ${source}`,
  noSource: "no time source",
  checked: (when: string) => `checked ${when}`,
  neverChecked: "never checked",
  releases: {
    rules: (version: string) => `rules ${version}`,
    binary: (version: string) => `service ${version}`,
  },
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
  locked: (count: number) => `${count} locked`,
  withoutFactor: (count: number) => `${count} without a second factor`,
  everyFactor: "all with a second factor",
  factorOn: "second factor on",
  factorOff: "no second factor",
  codesLeft: (count: number) => `${count === 1 ? "one recovery code" : `${count} recovery codes`} left`,
  disk: "Disk",
  memory: "Memory",
  used: (percent: string) => `${percent} used`,
};

export const needs = {
  rescue: {
    title: () => "The stored state is damaged",
    text: () => "Nothing can be changed until root has restored it on the device.",
    button: "Show the logs",
  },
  setup_required: {
    title: () => "There is no administrator yet",
    text: () => "Create one before the device is used.",
    button: "Add a user",
  },
  program: {
    title: () => "A part of the program does not work",
    text: ({ cause }) => cause,
    button: "Show the parts",
  },
  root_helper: {
    title: () => "Steward cannot ask root",
    text: ({ cause }) => cause,
    button: "Show the parts",
  },
  host_file: {
    title: () => "The host file needs attention",
    text: ({ cause }) => cause,
    button: "Show the parts",
  },
  disk: {
    title: ({ reason }): string =>
      reason === "disk_read_only" ? "The disk cannot be written to" : "The disk needs space",
    text: ({ cause }) => cause,
    button: "Show the disk",
  },
  state_document: {
    title: () => "The stored state needs attention",
    text: ({ cause }) => cause,
    button: "Show the parts",
  },
  event_log: {
    title: () => "The event log needs attention",
    text: ({ cause }) => cause,
    button: "Show the parts",
  },
  two_factor_key: {
    title: () => "The key of the second factors is missing",
    text: ({ cause }) => cause,
    button: "Show the parts",
  },
  clock: {
    title: ({ reason, word, trust }): string => {
      if (reason === "battery_clock_wrong") return "The battery-backed clock is wrong";
      if (reason === "clock_minority_agrees") return "Too few time servers agree";
      if (reason.endsWith("_externally") || reason.endsWith("_daemon"))
        return "Another program sets the clock";
      if (word === "in_sync") return "The time servers need attention";
      return trust === "none" ? "The clock is not trusted" : "The clock is not in sync";
    },
    text: ({ cause }) => cause || "Codes and updates may be refused until it is.",
    button: "Correct the clock",
  },
  listening: {
    title: () => "The agent cannot be reached everywhere",
    text: ({ cause }) => cause,
    button: "Show the parts",
  },
  https: {
    title: () => "HTTPS needs attention",
    text: ({ cause }) => cause,
    button: "Show the parts",
  },
  updates: {
    title: () => "The updates need attention",
    text: ({ cause }) => cause,
    button: "Show the updates",
  },
  update_available: {
    title: ({ what }) => `${what} is available`,
    text: () => "An administrator can apply it.",
    button: "Show the update",
  },
  update_failed: {
    title: ({ what }) => `${what} failed on this device`,
    text: () =>
      "It was undone, and is not applied again automatically. A newer release that works here ends this.",
    button: "Show why",
  },
  update_trust_unconfirmed: {
    title: () => "Compare the publisher's fingerprint",
    text: () => "Until it is confirmed, it is not certain whose updates this device takes.",
    button: "Compare",
  },
  users_locked: {
    title: ({ what, count }) => (what === "" ? `Locked users: ${count}` : `Locked: ${what}`),
    text: () => "After too many wrong passwords or codes, sign-in is locked for a while.",
    button: "Unlock",
  },
  two_factor_missing: {
    title: ({ what, count }) =>
      what === ""
        ? `Users without the required second factor: ${count}`
        : `Without the required second factor: ${what}`,
    text: () => "They can do nothing else until they have set it up.",
    button: "Show the users",
  },
  second_factor_advised: {
    title: ({ what, count }) =>
      what === ""
        ? `Administrators without a second factor: ${count}`
        : `Administrators without a second factor: ${what}`,
    text: () => "Their passwords alone protect this device.",
    button: "Set it up",
  },
  device_unnamed: {
    title: () => "Give this device a name",
    text: ({ what }) => `It is shown by its host name, ${what}.`,
    button: "Name it",
  },
  updates_not_set_up: {
    title: () => "Updates are not set up",
    text: ({ missing }): string =>
      missing === "root"
        ? "No root of trust is installed, so no update is accepted."
        : "No update server is set, so this device gets no updates.",
    button: "Set up updates",
  },
  tokens_ending: {
    title: ({ count }) =>
      count === 1 ? "An API token in use ends soon" : `${count} API tokens in use end soon`,
    text: ({ when }) => `The first ends on ${when}. Its owner can create a new one.`,
    button: "Show your tokens",
  },
  support_ending: {
    title: ({ when }) => `The maker's support ends on ${when}`,
    text: () => "Plan for the successor of this device.",
    button: "Show the device",
  },
  support_ended: {
    title: ({ when }) => `The maker's support ended on ${when}`,
    text: () => "Updates that repair faults are not to be expected any more.",
    button: "Show the device",
  },
} satisfies Record<Need["code"], NeedWords>;

/** Those who have no name, at the beginning of a sentence. */
export const actors = {
  anonymous: "A stranger",
  "local-root": "Root on the device",
  user: "A user",
  token: "A program",
  agent: "The device",
};
