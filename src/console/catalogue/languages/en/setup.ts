import { sourceWords } from "../../../../contract/words/en/clock.ts";
import { restoreWords } from "./setup/restore.ts";

/** Texts of the restoring of a backup. */
export const restore = restoreWords;

export const firstRun = {
  title: "Set up this device",
  intro: "This device has no users yet. Create the first administrator, with a password that only you know.",
  rescue:
    "Create another administrator, or enter the name of one to set a new password. That ends the sessions and removes the second factor and API tokens.",
  token: "Setup token",
  tokenHint: "On the device, the command steward setup-token shows it.",
  tokenOfLink: "The setup token came with the link",
  yourName: "Your name",
  yourNameHint: "As others see it, such as Ana Miller",
  alreadyDone: "This device already has an administrator. Sign in.",
  submit: "Create the administrator",
  restore: "Restore a backup instead",
  raceLost: "This device already has an administrator",
  raceLostText:
    "Another person has set it up while this page was open, and your account was not created. Sign in with an existing account, or ask its administrator for one.",
  steps: "Steps of the setup",
  stepNames: { password: "Password", factor: "Second factor", device: "Device", updates: "Updates" },
  heads: {
    password: "The first administrator",
    factor: "A second factor for your account",
    device: "This device and its clock",
    updates: "Updates",
    done: "This device is set up",
  },
  leftForLater: (steps: string) => `Left for later: ${steps}. Home reminds you.`,
  sheetText:
    "Print this sheet for the papers of the device: it says how the device is reached and recognised.",
  codesApart: (username: string) =>
    `The recovery codes for ${username} are on a sheet of their own. Keep it apart from this one.`,
  /** The value that another administrator has saved in the meantime. */
  theirs: (value: string) => `Another administrator has just saved: ${value}.`,
  finish: "Finish",
  back: "Back",
  notNeeded: "Not needed here",
  showQr: "Show the QR code",
  factorOn: (codes: number) =>
    codes === 1 ? "on, with 1 recovery code left" : `on, with ${codes} recovery codes left`,
  deviceNameHint: "What people call this device, such as Branch Hamburg",
  language: "Language",
  languageHint: "For everyone who has not chosen another language in their browser",
  timeZone: "Time zone",
  timeZoneHint: "Update windows go by it. Programs that run already show the new one after a restart",
  zoneOfBrowser: (zone: string) => `Use the one of this browser: ${zone}`,
  servers: "Time servers",
  serversHint: "A name or an address, with a port if it is not the usual one. Four are a good number.",
  serverOf: (place: number) => `Server ${place}`,
  useAuthenticated: (place: number) => `Server ${place}: use authenticated time (NTS)`,
  offered: (servers: string) => `Use the network's: ${servers}`,
  addServer: "Add a server",
  removeServer: (server: string) => `Remove ${server}`,
  testServers: "Test again",
  asking: "The servers are being asked …",
  answering: (count: number, of: number) => `${count} of ${of} ${of === 1 ? "answers" : "answer"}.`,
  agreeing: (count: number) => `${count} agree on the time.`,
  noneAgrees: "Their time cannot be used.",
  answersIn: (delay: string) => `answers within ${delay}`,
  sourceReasons: sourceWords.reasons,
  byDaemon: (program: string) => `${program} sets this clock, with its own servers`,
  updatesText: "The publisher of your updates has given you these details.",
  server: "Update server",
  serverHint: "An address that begins with https:// and contains no user name or password",
  channel: "Channel",
  channelHint: "The publisher's releases for this group of devices, such as stable or beta",
  regularly: "Check for updates regularly",
  regularlyHint: "When off, you can still check and apply updates by hand",
  fingerprint: "Fingerprint from the publisher",
  fingerprintHint: "64 digits and letters, in any grouping. Paste the one that the publisher gave you.",
  otherFingerprint: "This is not the fingerprint of the root of trust on this device",
  trusted: (by: string) => `trusted: ${by} has confirmed the fingerprint`,
  noRoot:
    "The root of trust is not installed yet. Run this on the device as root, then compare the fingerprint:",
  scan: "Scan the fingerprint",
  holdCode: "Hold the publisher's QR code in front of the camera.",
  noFingerprint: "This code contains no fingerprint.",
  noCamera: "The camera cannot be used. Allow it in the browser, or paste the fingerprint.",
};
