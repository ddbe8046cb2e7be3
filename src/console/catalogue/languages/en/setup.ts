import { sourceWords } from "../../../../contract/words/en/clock.ts";
import { enrolmentWords } from "./copied/enrolment.ts";
import { personWords } from "./copied/person.ts";

export const enrolment = enrolmentWords;
export const person = personWords;

/** Texts of the restoring of a backup. */
export const restore = {
  title: "Restore a backup",
  steps: "Steps of the restore",
  stepNames: { file: "File", open: "Passphrase", plan: "What changes", restart: "Restart" },
  heads: {
    file: "The backup",
    open: "Open the backup",
    plan: "What will change",
    restart: "The device is restarting",
  },
  intro:
    "The users, settings and all other contents of the backup replace those of this device. Nothing changes before the last step.",
  file: "Backup file",
  noBackup: "This file is no backup of Steward.",
  fileHint: "Choose the file, or drop it here. Its name ends in .age.",
  send: "Send it to the device",
  sending: "The file is being sent …",
  asNew: "Set up as new instead",
  received: (name: string, size: string) => `The device has received ${name} (${size}).`,
  key: "Passphrase of the backup",
  keyHint: "Or the secret key for a backup that a timer made: AGE-SECRET-KEY-1…",
  roles: {
    replacement: {
      text: "replaces the one that was backed up",
      hint: "It takes over its identity, host name, certificate and API tokens. The other one must never be switched on again.",
    },
    other: {
      text: "is another device",
      hint: "It keeps its own identity. API tokens wait until an administrator allows each of them here.",
    },
  },
  open: "Show what changes",
  otherFile: "Another file",
  facts: {
    from: "Backup of",
    made: "Made",
    tokens: "API tokens",
    goes: "Removed",
    lacks: "Not in the backup",
  },
  users: (count: number, factors: number) => `${count}, of whom ${factors} with a second factor`,
  tokens: (count: number, isReplacement: boolean) =>
    count === 0 || isReplacement ? `${count}` : `${count}, suspended until an administrator resumes them`,
  lostUsers: (count: number) => `${count === 1 ? "1 user" : `${count} users`} of this device`,
  becomes:
    "This device takes over identity, host name, certificate and API tokens. If both devices run, their events contradict each other and their programs use the same tokens.",
  staysItself: "This device keeps its own identity. Everyone signs in with the password from the backup.",
  otherIsOff: "The other device is switched off and will not come back",
  hostFiles: "These files belong to root and are not restored. They differ from the other device's:",
  byRoot: "To restore them as well, do this on the device as root instead:",
  verb: "Restore",
  restarting: "This takes a few seconds. The page continues at the sign-in when the device answers.",
  notBack:
    "If it does not, reload this page: the device may have another name now, and the browser may ask about its certificate.",
};

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
  sheetText: "Print this sheet for the device's records: it says how to reach and recognise the device.",
  codesApart: (username: string) =>
    `The recovery codes for ${username} are on a separate sheet. Keep it apart from this one.`,
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
  timeZoneHint: "Update windows follow it. Running programs show the new one after a restart",
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
  serverHint: "It begins with https://",
  channel: "Channel",
  channelHint: "The publisher's releases for this group of devices, such as stable or beta",
  regularly: "Check for updates regularly",
  fingerprint: "Fingerprint from the publisher",
  fingerprintHint: "64 digits and letters, in any grouping",
  sameFingerprint: "It matches.",
  otherFingerprint:
    "Do not go on: this device has another fingerprint. Check your entry, or choose Later and ask your publisher.",
  trusted: (by: string) => `trusted: ${by} has confirmed the fingerprint`,
  noRoot:
    "The root of trust is not installed yet. Run this on the device as root, then compare the fingerprint:",
  scan: "Scan the fingerprint",
  holdCode: "Hold the publisher's QR code in front of the camera.",
  noFingerprint: "This code contains no fingerprint.",
  noCamera: "The camera cannot be used. Allow it in the browser, or paste the fingerprint.",
};
