import { clockWords, lag, sourceWords } from "../../../../contract/words/en/clock.ts";
import { findingWords, checkNames as names } from "../../../../contract/words/en/findings.ts";

export const checkNames = names;

export const findings = findingWords;

export const clock = {
  words: clockWords,
  sourceWords,
  within: (size: string) => `In sync, within ${size}.`,
  offBy: (offset: string) => `Not in sync: this device is ${offset}.`,
  /** Additions to a sentence about the clock. */
  states: {
    holdover: "running without its sources",
    freerun: "without its sources for too long",
    faulty: "contradicted by its sources",
  },
  trusts: { trusted: "trusted", accepted: "trusted without a majority", none: "not trusted" },
  /** These compare another clock with this device's. */
  behindUs: (size: string) => `${size} behind this device`,
  aheadOfUs: (size: string) => `${size} ahead of this device`,
  /** The same in short. */
  earlier: (size: string) => `${size} earlier`,
  later: (size: string) => `${size} later`,
  lag,
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
    kod: "turns requests away",
    suspect: "suspect",
    unused: "not used",
  },
  details: "Details",
  differNot: "This browser and the device agree to within 2\u00a0s.",
  browserWrong: (time: string) =>
    `The clock of this browser says ${time}, which is long past. Correct it there.`,
  browserLater: (size: string) => `This browser is ${size} ahead of the device.`,
  browserEarlier: (size: string) => `This browser is ${size} behind the device.`,
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
  health: "Checks",
  versions: "Versions",
  hostname: "Host name",
  timeZone: "Time zone",
  product: "Product",
  supportUntil: "Supported until",
  model: "Model",
  processor: "Processor",
  cores: (count: number) => (count === 1 ? "1 core" : `${count} cores`),
  swap: "Swap",
  disk: (mount: string) => `Disk ${mount}`,
  ownDisk: "Disk of the stored state",
  free: (free: string, total: string) => `${free} of ${total} free`,
  load: "Load",
  temperature: (sensor: string) => `Temperature, ${sensor}`,
  uptime: "Running for",
  machine: "Machine",
  allWell: (checks: number) => `All ${checks} checks passed`,
  agent: "Steward",
  commit: "Commit",
  buildDate: "Built",
  os: "System",
  kernel: "Kernel",
  deviceId: "Device ID",
};
