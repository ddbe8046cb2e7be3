export const ui = {
  show: "Show",
  hide: "Hide",
  close: "Close",
  cancel: "Cancel",
  save: "Save",
  copy: "Copy",
  copied: "Copied",
  marked: "Marked: copy it with your keyboard",
  wait: (left: string) => `Try again in ${left}`,
  download: "Download",
  print: "Print",
  loading: "Loading",
  retry: "Try again",
  more: "Load more",
  actionsOf: (name: string) => `Actions for ${name}`,
  typeToConfirm: (word: string) => `Type ${word} to confirm`,
  unsaved: "Unsaved changes",
  unsavedText: "What you have typed here is not saved. If you leave, it is lost.",
  leave: "Leave without saving",
  stay: "Stay",
  notAccepted: "This does not follow the rule above",
  keepMine: "Keep mine",
  takeTheirs: "Take theirs",
  saved: "Saved",
  expires: "Expires",
};

export const time = {
  never: "never",
  now: "just now",
};

export const problem = {
  request: "Request",
  unexpected: "Something went wrong in this page",
  unreachable: {
    title: "The device did not answer",
    detail: "Whether it did what you asked for is not known. Look before you try again.",
  },
  /** What people read instead of the agent's title, by its code. */
  binding:
    "This browser's cookie belongs to another sign-in than this page: another program on this address may have set or copied it. Sign in again.",
  codes: {
    invalid_token: "You were signed out",
    invalid_credentials: "User name or password is wrong",
    totp_invalid: "This code is not accepted",
    totp_reused: "This code was used already",
    recovery_code_invalid: "This recovery code is not accepted",
    password_wrong: "The password is wrong",
    account_locked: "Too many wrong codes: codes are locked for a while",
    challenge_invalid: "That took too long: begin again with your password",
    clock_not_synchronised: "Nobody vouches for this device's clock",
    setup_token_invalid: "This is not the setup token",
    two_factor_not_pending: "This has taken more than ten minutes: begin again",
    two_factor_required_by_policy: "This device requires a second factor",
    too_many_attempts: "Too many attempts: wait a little",
    forbidden: "Your role does not allow this",
    etag_mismatch: "Somebody else has changed this meanwhile",
    last_admin: "This is the last administrator who can sign in",
    username_taken: "There is a user of this name already",
    password_too_short: "This password is too short",
    password_too_long: "This password is too long",
    password_blocklisted: "This password is too easy to guess",
    password_contains_identity: "This password is little more than a name",
    storage_full: "The device's disk is full",
    validation_failed: "Some of what you typed is not accepted",
    no_time_source: "No time source gives a usable answer",
    no_majority: "The time sources do not agree",
    time_sync_disabled: "The clock is set by hand",
    conflict_discipliner: "Somebody else keeps this clock",
    panic_threshold: "The sources want a correction that is too large",
    time_implausible: "That time cannot be true",
    rate_limited: "Too many requests: wait a little",
  },
};

export const frame = {
  sections: "Sections",
  users: "Users",
  system: "System",
  updates: "Updates",
  account: "Your account",
  signOut: "Sign out",
  language: "Language",
  skip: "Skip to the content",
  reconnecting: "The device does not answer. Reconnecting …",
  outOfDate: "Steward was updated. Reload to get the console that belongs to it.",
  reload: "Reload",
  clock: "Clock: ",
  clockTo: ". Go to the clock.",
  clockBanner: "This device's clock cannot be trusted. Codes and updates may be refused because of it.",
  clockLink: "Look at the clock",
  updatesTrouble: (detail: string) => `Updates need attention. ${detail}`,
  updateWaits: (release: string) => `${release} is available, and waits for somebody to apply it.`,
  trustWaits: "Nobody has confirmed yet whose updates this device takes.",
  updatesLink: "Look at the updates",
  trouble: (part: string, detail: string) => `Not all is well with this device (${part}). ${detail}`,
  troubleLink: "Look at the system",
  fewCodes: (count: number) =>
    count === 0
      ? "You have no recovery codes left. Without your authenticator you could not sign in."
      : `You have ${count === 1 ? "one recovery code" : `${count} recovery codes`} left.`,
  codesLink: "Make new ones",
  passwordMustChange: "Choose a password of your own before you go on.",
  mustEnrol: "This device asks you for a second factor. Set it up before you go on.",
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
  recoveryCodeHint: "One of the ten that you kept; it is good once",
  nextCode: "Wait for the next code and type that one",
  lost: "I have lost my authenticator",
  lostHint: "Removes it, so that you can set up another one",
  skewSuspected: (time: string) =>
    `This code belongs to another time: this device's clock is wrong or your authenticator's. The device says ${time}. A recovery code works all the same.`,
  clockInDoubt: (time: string) =>
    `Codes go by this device's clock, which is not synchronised. It says ${time}.`,
  useRecoveryCode: "Use a recovery code",
  useCode: "Use a code",
  other: "Sign in as somebody else",
  sessionEnded: "Your session has ended",
  sessionEndedText: "Sign in to go on. What you typed is still there.",
  abandon: "Discard it and sign out",
  confirmTitle: "Confirm that it is you",
  confirmText: "This takes your password again. For five minutes you are not asked again.",
  confirm: "Confirm",
  clockDiffers: (device: string, browser: string) =>
    `This device's clock says ${device}, your browser's ${browser}.`,
  clockDiffersMeaning:
    "Codes go by the device's clock and may be refused. A recovery code works all the same; an administrator can then put the clock right under System.",
  rescue:
    "The state of this device is damaged, and nobody can sign in. As root on the device, steward state list says more.",
  usernameHint:
    "3 to 32 small letters (a–z), digits, dots, underscores or hyphens; a letter first, a letter or a digit last. It cannot be changed later.",
};

export const firstRun = {
  title: "Set up this device",
  intro: "Nobody can sign in yet. You make the first administrator, with a password that nobody else knows.",
  token: "Setup token",
  tokenHint: "On the device, steward setup-token prints it.",
  passwordLength: (minimum: number) => `${minimum} characters or more.`,
  passwordCount: (length: number, minimum: number) =>
    length < minimum ? `${length} of ${minimum} characters.` : `${length} characters: long enough.`,
  passwordAdvice: "Four unrelated words are hard to guess; digits and signs are not needed.",
  alreadyDone: "This device has an administrator already. Sign in.",
  submit: "Make the administrator",
};

export const system = {
  tabs: {
    overview: "Overview",
    settings: "Settings",
    logs: "Logs",
    events: "Events",
  },
};
