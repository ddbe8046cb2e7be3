import { otherWords } from "./settings/other-words.ts";

export const settings = {
  /** Sections, named by the question that each answers. */
  groups: {
    security: "How do people sign in?",
    sessions: "When does a session end?",
    clock: "What sets the clock?",
    time: "Which time servers are asked?",
    trust: "When is the time trusted?",
    notifications: "Who is notified?",
    reminders: "What does this device do without?",
    console: "How does the console look?",
  },
  readonly: "Your role can read the settings but not change them.",
  adminOnly: "Only an administrator can change this.",
  hidden: "hidden: your role cannot see this value",
  on: "on",
  off: "off",
  none: "none",
  byDefault: (value: string) => `Default: ${value}.`,
  find: "Find a setting",
  section: "Section",
  searched: "What was found",
  found: (count: number) => (count === 1 ? "1 setting found" : `${count} settings found`),
  foundNone: (sought: string) => `No setting matches “${sought}”.`,
  showAll: "Show all settings",
  unsaved: (count: number) =>
    count === 0 ? "No unsaved changes" : count === 1 ? "1 unsaved change" : `${count} unsaved changes`,
  unsavedHere: (count: number) => `${count} unsaved`,
  discard: "Discard",
  meanwhile: (value: string) => `Another user has changed this in the meantime: ${value}`,
  changedMeanwhile: (names: string) => `Another user has changed: ${names}`,
  conflict: "Another user has changed the same settings",
  conflictText: "Nothing is saved yet. Choose a value for each setting.",
  was: (value: string) => `When you started: ${value}`,
  longest: (characters: number) => `At most ${characters} characters.`,
  also: otherWords,
  changeThere: "Change on This device",
  moveUp: "Move up",
  moveDown: "Move down",
  addItem: "Add a server",
  addWindow: "Add a window",
  window: "Window",
  from: "From",
  to: "To",
  always: "At any time",
  nextDay: "Until that time on the next day.",
  wholeDay: "24 hours, until the same time on the next day.",
  /** By the pointer of the setting: its name, and what to know about it. */
  words: {
    "/device/name": { label: "Device name" },
    "/device/location": { label: "Location" },
    "/device/contact": { label: "Contact" },
    "/host/host_name": { label: "Host name" },
    "/host/time_zone": { label: "Time zone" },
    "/device/not_needed": {
      label: "Not needed here",
      hint: "Parts that this device does without. Home no longer asks for them",
    },
    "/time/mode": {
      label: "Clock set by",
      hint: "If root has decided this in the host file, it cannot be changed here",
    },
    "/time/servers": {
      label: "Time servers",
      hint: "A name or an address, with a port if it is not the usual one; with NTS that of the key exchange",
    },
    "/time/authenticated_only": {
      label: "Authenticated time only",
      hint: "Only time servers with NTS are asked, and the clock follows only a majority of them",
    },
    "/time/min_agreeing": {
      label: "Servers that must agree",
      hint: "1 to 8. Empty: 1 with one server, otherwise 2. The time is trusted only if more than half of all servers agree",
    },
    "/time/max_root_distance": {
      label: "Largest uncertainty",
      hint: "100 ms to 16 s. A server whose time may be wrong by more is not used",
    },
    "/time/panic_threshold": {
      label: "Largest correction",
      hint: "1 second to 10 years. A larger correction of the running clock needs an administrator",
    },
    "/update/ota/enabled": {
      label: "Scheduled updates",
      hint: "Checks for updates regularly. When off, you can still check and apply updates by hand",
    },
    "/update/ota/server": {
      label: "Update server",
      hint: "The address of the publisher's repository. It begins with https:// and contains no user name or password",
    },
    "/update/ota/channel": {
      label: "Channel",
      hint: "The publisher's releases for this group of devices, such as stable or beta",
    },
    "/update/ota/check_interval": {
      label: "Time between checks",
      hint: "5 minutes to 30 days. Each check comes up to a tenth earlier or later",
    },
    "/update/ota/auto_update_rules": {
      label: "Apply new rules automatically",
      hint: "Rules that do not work are undone automatically",
    },
    "/update/ota/auto_update_binary": {
      label: "Apply a new service automatically",
      hint: "A new service can do anything on this device. This therefore stays off until a root of trust is installed, its fingerprint is confirmed and the server has been checked",
    },
    "/update/ota/verify_signature": { label: "Signatures", hint: "Only signed updates are installed" },
    "/update/ota/report": {
      label: "Tell the publisher the outcome",
      hint: "Each check tells the update server the product, the versions and whether they work, with a number that differs for each release. Publishers can then stop a release that fails",
    },
    "/update/windows": {
      label: "Update windows",
      hint: "When updates may be applied automatically, in the time zone of the device",
    },
    "/security/require_2fa": {
      label: "Second factor required",
      hint: "Users without one must set it up before they can do anything else",
    },
    "/security/session_idle": { label: "Sign out after inactivity", hint: "5 minutes to 24 hours" },
    "/security/session_absolute": { label: "Maximum session length", hint: "15 minutes to 30 days" },
    "/security/password_min_length": {
      label: "Minimum password length",
      hint: "15 to 128 characters; applies to new passwords",
    },
    "/notify/receivers": { label: "Receivers", hint: "Webhooks and e-mail addresses for notifications" },
    "/console/language": {
      label: "Language",
      hint: "For messages, and for browsers whose language the console does not speak",
    },
    "/console/banner": {
      label: "Text on the sign-in page",
      hint: "Everyone who opens the sign-in page can read it",
    },
    "/console/accent": {
      label: "Colour",
      hint: "In the head of each page, in its icon and on the sign-in page: it tells this device from others",
    },
  },
  /** By pointer and value. */
  options: {
    "/device/not_needed": {
      second_factor_advised: {
        label: "A second factor for administrators",
        hint: "Their passwords alone protect this device",
      },
      updates_not_set_up: { label: "An update server", hint: "This device gets no updates from a publisher" },
      no_receiver: { label: "A receiver of messages", hint: "No message is sent when something fails" },
    },
    "/time/mode": {
      auto: { label: "Automatic", hint: "Another time service if one is running, otherwise Steward" },
      discipline: { label: "Steward", hint: "Steward sets the clock with the time servers" },
      delegate: { label: "Another service", hint: "Such as chronyd; Steward shows its state" },
      observe: { label: "Measure only", hint: "The time is measured, and the clock is not changed" },
      manual: { label: "By hand", hint: "No time server is asked" },
    },
    "/security/require_2fa": {
      none: { label: "Optional", hint: "Each user may set one up" },
      admins: { label: "Administrators" },
      all: { label: "All users" },
    },
    "/console/accent": {
      blue: { label: "Blue" },
      violet: { label: "Violet" },
      magenta: { label: "Magenta" },
      brown: { label: "Brown" },
      olive: { label: "Olive" },
      green: { label: "Green" },
      teal: { label: "Teal" },
      slate: { label: "Slate" },
    },
  },
  /** The form that a setting must have, by pointer. */
  faults: {
    "/time/servers":
      "A name or an address is expected, such as ntp.example.org, 192.0.2.1:123 or [2001:db8::1]:123",
    "/time/max_root_distance": "A duration from 100 ms to 16 s is expected",
    "/time/panic_threshold": "A duration from 1 second to 10 years is expected",
    "/update/ota/server":
      "The address of the folder above metadata/ is expected, with https:// and without blanks, user name and password",
    "/update/ota/channel":
      "1 to 32 lower-case letters, digits, dots, underscores or hyphens are expected, a letter or digit first",
    "/update/ota/check_interval": "A duration from 5 minutes to 30 days is expected",
    "/update/windows": "A time of day from 00:00 to 23:59 is expected",
    "/security/session_idle": "A duration from 5 minutes to 24 hours is expected",
    "/security/session_absolute": "A duration from 15 minutes to 30 days is expected",
    "/console/language": "A language is expected, such as en or de",
    "/console/banner": "One line of text is expected, without control characters",
  },
  /** Instead of what the agent says where a setting does not fit another one, by pointer. */
  misfits: {
    "/time/authenticated_only": "No time server has NTS",
    "/security/session_idle": "Must not be longer than the maximum session length",
    "/update/ota/enabled": "Set an update server first",
    "/update/ota/server": "Addresses on this device or its own link are not allowed",
    "/update/ota/channel": "Root allows only certain channels on this device",
    "/update/ota/auto_update_binary":
      "First install a root of trust, confirm its fingerprint and check for updates once",
  },
};
