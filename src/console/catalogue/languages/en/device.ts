import type { ClockConflict, ClockSummary, TimeSource } from "../../../../contract/types.ts";

type SourceReasonCode = NonNullable<TimeSource["reason"]>["code"];
type DaemonTroubleCode = NonNullable<ClockSummary["daemon_trouble"]>["code"];
type NotSetCode = NonNullable<ClockSummary["not_set"]>["code"];

/** Facts of the clock as people read them. */
export interface ClockFacts {
  /** Such as `2 s behind`. */
  readonly offset: string;
  readonly measured: string;
  readonly agreeing: number;
  readonly needed: number;
  readonly server: string;
  readonly daemon: string;
  /** Such as `set forward by 3 s`. */
  readonly step: string;
  /** The sentence for the conflict. */
  readonly conflict: string;
}

export const clock = {
  title: "Clock",
  /** The clock in a sentence, by its word. */
  heads: {
    in_sync: "In sync.",
    set_by_hand: "Set by hand.",
    not_in_sync: "Not in sync.",
    unknown: "Unknown.",
  },
  within: (size: string) => `In sync, within ${size}.`,
  offBy: (offset: string) => `Not in sync: this device is ${offset}.`,
  /** What there is to say besides. */
  states: {
    holdover: "running without its sources",
    freerun: "without its sources for too long",
    faulty: "contradicted by its sources",
  },
  trusts: {
    trusted: "trusted",
    accepted: "trusted without a majority",
    none: "not trusted",
  },
  behind: (size: string) => `${size} behind`,
  ahead: (size: string) => `${size} ahead`,
  /** Of another clock. */
  behindUs: (size: string) => `${size} behind this device`,
  aheadOfUs: (size: string) => `${size} ahead of this device`,
  /** The same in short. */
  earlier: (size: string) => `${size} earlier`,
  later: (size: string) => `${size} later`,
  thisDevice: "this device",
  agreeWithin: (count: number, spread: string) =>
    count === 1 ? "1 source answers" : `${count} agree within ${spread}`,
  answer: (count: number) => (count === 1 ? "1 source answers" : `${count} sources answer`),
  says: (later: string) => `says ${later}`,
  strip: (cluster: string, later: string, flags: number) =>
    `${cluster}: ${later} than this device.${flags === 0 ? "" : ` Sources that disagree: ${flags}.`}`,
  sync: "Sync now",
  reselect: "Choose sources again",
  byBrowser: "Set the device's clock to this browser's time",
  asking: (servers: number, answers: number) =>
    `Asking ${servers} ${servers === 1 ? "source" : "sources"}, answers so far: ${answers}`,
  measured: (offset: string) => `Measured: the clock is ${offset}.`,
  done: "The clock was set.",
  steppedForward: (size: string) => `set forward by ${size}`,
  steppedBack: (size: string) => `set back by ${size}`,
  whyBusy: "The clock is being measured",
  whyManual: "The clock is set by hand: no time server is asked.",
  whyKept: "The clock is already correct. To set it by hand, first choose “By hand” in the time settings.",
  noServers: "No time servers are set, so the time cannot be measured.",
  toSettings: "Open the time settings",
  sources: "Sources",
  legend:
    "Each bar is an offset with its uncertainty; the shaded part is where the sources agree. Clocks to the right of 0 are ahead of this device.",
  thisHost: "0 · this device",
  agreement: (count: number, offset: string) =>
    `${count === 1 ? "One source says" : `${count} sources agree`} that this device is ${offset}.`,
  noAgreement: "The sources do not agree.",
  sourceStates: {
    selected: "chosen",
    candidate: "agrees",
    outlier: "agrees, but varies",
    falseticker: "wrong",
    unreachable: "unreachable",
    kod: "asks for fewer polls",
    suspect: "suspect",
    unused: "not used",
  },
  /** Why a source is in its state, by code. */
  reasons: {
    not_asked: "not asked yet",
    not_heard: "no usable answer",
    same_server: "the same server as another one",
    name_not_found: "the name is not found",
    no_address: "the name has no address",
    timeout: "no answer",
    connection_refused: "no time server runs there",
    network_unreachable: "no network connection to it",
    host_unreachable: "no route to it",
    system_error: "the request failed",
    bad_packet: "the answer cannot be used",
    server_unsynchronised: "it is not in sync itself",
    too_uncertain: "its time is too uncertain",
    kiss_denied: "it refuses to answer",
    kiss_rate: "it asks for fewer requests",
    second_opinion_differs: "a second measurement gave another time",
    majority_differs: "ignored because it disagrees",
    too_few_agree: "ignored because too few others agree",
    no_majority: "no group of sources is a majority",
    scatters: "it varies more than the others",
    not_preferred: "usable, but others are preferred",
    not_selected: "not chosen yet",
    varies: "its time varies too much",
    spike: "its last answer was too different",
  } satisfies Record<SourceReasonCode, string>,
  /** The last poll of a source that is used all the same. */
  lastTime: (reason: string) => `${reason} at the last poll`,
  /** How the clock is, and what to do about it, by code. */
  summary: {
    not_measured: () => "The clock has not been measured yet. “Choose sources again” measures it.",
    rescue: () => "The stored state of this device is damaged, so the clock is not set.",
    acquiring: () => "The time servers are being asked.",
    synchronised: () => "The clock is right.",
    host_not_corrected: () => "The correct time is known.",
    manual: () => "The clock is set by hand; no time server is asked.",
    set_by_hand: () => "The clock was set by hand.",
    conflict: ({ conflict }) => `${conflict} Until this is resolved, Steward only measures the clock.`,
    daemon_not_read: ({ daemon }) => `${daemon} sets this clock. Its state is not known yet.`,
    daemon_synchronised: ({ daemon }) => `${daemon} keeps this clock right.`,
    daemon_unsynchronised: ({ daemon }) => `${daemon} is running but does not know the time yet.`,
    to_be_confirmed: ({ offset }) =>
      `The sources say that this clock is ${offset}. Two more measurements must confirm it; “Sync now” corrects the clock at once.`,
    no_servers: () =>
      "No time servers are set. Add some in the time settings, or set the clock to this browser's time.",
    no_time_source: () =>
      "None of the time servers gives a usable answer. Check the network and the time settings.",
    no_majority: () =>
      "The time servers do not agree. Remove the wrong one in the time settings, or add others.",
    too_few: ({ agreeing, needed }) =>
      `Time servers that agree: ${agreeing} of the ${needed} that are needed. Add servers, or check why the others do not answer.`,
    suspect: ({ server }) =>
      `The only time server, ${server}, gave two answers that contradict each other. The clock was not changed. Add a second server in the time settings.`,
    panic_threshold: ({ offset }) =>
      `The time servers say that this clock is ${offset}, which is more than the settings allow to be corrected. Check whether they are right.`,
    below_floor: ({ measured }) =>
      `The time servers say ${measured}, which this device knows to be in the past. Check the time servers.`,
    beyond_ceiling: ({ measured }) =>
      `The time servers say ${measured}, which is too far in the future. Check the time servers.`,
  } satisfies Record<ClockSummary["code"], (facts: ClockFacts) => string>,
  runsOn: "Until then, the clock continues with the last known time.",
  votes: (agreeing: number, configured: number, needed: number) =>
    `${agreeing} of ${configured} sources agree; the time is fully trusted when ${needed} agree.`,
  conflicts: {
    other_daemon: ({ daemon }) => `${daemon} sets this clock too: stop one of the two.`,
    clock_stepped: ({ step }) => `Another program or a person changed this clock (${step}).`,
    frequency_set: () => "Another program changed how fast this clock runs.",
  } satisfies Record<ClockConflict["code"], (facts: ClockFacts) => string>,
  daemonTroubles: {
    command_failed: ({ daemon }) => `The state of ${daemon} could not be read.`,
    no_answer: ({ daemon }) => `${daemon} does not answer when asked for its state.`,
    unknown_format: ({ daemon }) => `${daemon} reports its state in an unknown format.`,
    not_observable: ({ daemon }) => `Steward cannot see how well ${daemon} keeps the time.`,
  } satisfies Record<DaemonTroubleCode, (facts: ClockFacts) => string>,
  /** Why the clock of the host is measured and not set. */
  notSet: {
    chosen: () => "The clock is measured but not set, as chosen in the time settings.",
    no_daemon: () => "The clock is not set: another service should set it, but none is running.",
    other_daemon: () => "The clock is not set by Steward because another time service is running.",
    external_change: () => "The clock is not set by Steward because another program or a person changed it.",
    not_asked_to: () => "The clock is not set: this agent was started without permission to set it.",
    no_addon: () => "The clock is not set: a part of the program that is needed for it is missing.",
    no_capability: () => "The clock is not set: the agent does not have the right to set it.",
  } satisfies Record<NotSetCode, (facts: ClockFacts) => string>,
  hostOff: (offset: string) => `The clock of the host is ${offset}; signing in takes this into account.`,
  columns: {
    source: "Source",
    state: "State",
    offset: "Offset",
    delay: "Delay",
    stratum: "Stratum",
    reach: "Last polls",
  },
  answered: (count: number) => `${count} of the last 8 polls answered`,
  course: "Offset over the last hours",
  noCourse: "Nothing has been measured yet.",
  now: "now",
  courseInWords: (hours: number, least: string, most: string, newest: string) =>
    `This device over the last ${hours === 1 ? "hour" : `${hours} hours`}: from ${least} to ${most}, most recently ${newest}.`,
  details: "Details",
  facts: {
    offset: "This device now",
    trust: "Trust",
    deviceTime: "Device time",
    browserTime: "This browser's time",
    browser: "This browser",
    keptBy: "Set by",
    lastSync: "Last sync",
    poll: "Time between polls",
    lastStep: "Last step",
    leap: "Leap second",
  },
  browserSame: "says the same",
  differNot: "Both clocks agree to within 2 s.",
  browserLater: (size: string) => `This browser is ${size} ahead of the device.`,
  browserEarlier: (size: string) => `This browser is ${size} behind the device.`,
  noTime: "unknown",
  none: "none",
  noProgram: "no program",
  aPerson: "a person",
  every: (size: string) => `every ${size}`,
  broken: "While the clock is not trusted",
  brokenThings: () => [
    "Correct codes from an authenticator may be refused. Recovery codes work.",
    "A second factor cannot be set up.",
    "API tokens and certificates are checked against the last time that was trusted.",
    "Updates wait: nothing is installed automatically.",
  ],
  whoMay: (isAlone: boolean): string =>
    isAlone
      ? "An administrator can set the clock to the time of their browser, or add time servers."
      : "An administrator can also set the clock to the time of their browser.",
  byBrowserTitle: "Set the clock to your browser's time",
  byBrowserVerb: "Set the clock",
  byBrowserText:
    "Codes, tokens and updates then depend on your browser's time until time servers answer. All users stay signed in.",
  force: "Correct it anyway",
  forceTitle: "Make a correction larger than allowed",
  forceText: (offset: string) =>
    `The sources say that this device is ${offset}. The clock is changed at once; all users stay signed in. If the sources were wrong, set others in the time settings and sync again.`,
  forceByAdmin: "An administrator can correct it anyway.",
  advice: {
    no_time_source:
      "The reason for each source is given below. Check the network and the time settings; without a network, an administrator can use the browser's time.",
    no_majority: "Remove the wrong source in the time settings, or add others.",
    panic_threshold: "The correction is larger than the settings allow. Check whether the sources are right.",
    time_implausible: "Nothing was changed. Check the sources, or the clock of your computer.",
  },
};

export const facts = {
  title: "Host",
  health: "Checks",
  versions: "Versions",
  sheet: "Device sheet",
  manage: "Manage",
  hostname: "Host name",
  timeZone: "Time zone",
  supportUntil: "Supported until",
  model: "Model",
  processor: "Processor",
  cores: (count: number) => (count === 1 ? "1 core" : `${count} cores`),
  memory: "Memory",
  swap: "Swap",
  disk: (mount: string) => `Disk ${mount}`,
  ownDisk: "Disk of the stored state",
  free: (free: string, total: string) => `${free} of ${total} free`,
  load: "Load",
  temperature: (sensor: string) => `Temperature, ${sensor}`,
  uptime: "Running for",
  details: "Details",
  machine: "Machine",
  allWell: (checks: number) => `All ${checks} checks passed`,
  agent: "Steward",
  commit: "Commit",
  buildDate: "Built",
  os: "System",
  kernel: "Kernel",
  deviceId: "Device ID",
  rules: "Rules",
};
