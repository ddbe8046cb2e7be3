import type { ErrorCode } from "../../../../contract/error-codes.ts";
import { actors, happened } from "./base/happened.ts";
import { healthWords } from "./base/health.ts";
import { homePage, needs } from "./base/home.ts";

export const ui = {
  show: "Show",
  hide: "Hide",
  close: "Close",
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
  more: "Load more",
  actionsOf: (name: string) => `Actions for ${name}`,
  typeToConfirm: (word: string) => `Type ${word} to confirm`,
  unsaved: "Unsaved changes",
  unsavedText: "Your changes on this page are not saved. If you leave, they are lost.",
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
  technical: "Technical details",
  unexpected: "Something went wrong in this page",
  unreachable: {
    title: "The device did not answer",
    detail: "The device may or may not have done what you asked for. Check before you try again.",
    unsent: "Nothing was sent, and your entries are still here. Try again when the device is back.",
  },
  /** Instead of the agent's detail, where a session ended because its cookie was changed. */
  binding:
    "The cookie in this browser belongs to another sign-in than this page: another program at this address may have set or copied it. Sign in again.",
  /** Instead of the agent's title, by its code. */
  codes: {
    malformed_request: "The device did not understand the request",
    malformed_json: "The device did not understand the request",
    malformed_path: "This address does not exist",
    validation_failed: "Some of your entries are not accepted",
    unknown_field: "The device does not know one of the entries",
    invalid_cursor: "This list has changed",
    authentication_required: "Sign in first",
    invalid_credentials: "User name or password is wrong",
    totp_required: "A code from your authenticator is needed",
    totp_invalid: "This code is not accepted",
    totp_reused: "This code has already been used",
    recovery_code_invalid: "This recovery code is not accepted",
    challenge_invalid: "That took too long: start again with your password",
    step_up_required: "Your password is needed again",
    invalid_token: "You were signed out",
    setup_token_invalid: "This is not the setup token",
    provider_refused: "Signing in at the provider did not work",
    forbidden: "Your role does not allow this",
    insufficient_scope: "The API token does not allow this",
    token_not_allowed: "API tokens cannot do this",
    two_factor_enrolment_required: "Set up a second factor first",
    password_wrong: "The password is wrong",
    password_change_required: "Change your password first",
    role_missing: "None of your groups has a role on this device",
    not_found: "This does not exist",
    method_not_allowed: "The device does not offer this",
    not_acceptable: "The device cannot answer in this form",
    request_timeout: "The request took too long",
    account_of_provider: "This user signs in at the provider",
    username_taken: "A user with this name already exists",
    last_admin: "This is the last administrator who can sign in",
    two_factor_already_enabled: "The second factor is already on",
    two_factor_not_enabled: "The second factor is not on",
    two_factor_not_pending: "This took more than ten minutes: start again",
    two_factor_required_by_policy: "This device requires a second factor",
    token_limit_reached: "There are too many API tokens",
    clock_not_synchronised: "The clock of this device is not trusted",
    time_sync_disabled: "The clock is set by hand",
    conflict_discipliner: "Another program is setting this clock",
    setup_already_done: "This device is already set up",
    update_trust_not_established: "The publisher is not trusted yet",
    update_root_unusable: "This root of trust cannot be used",
    update_not_configured: "No update server is set",
    update_busy: "Another update is in progress",
    update_not_set_up: "Updates of this kind are not set up on this device",
    no_update_available: "No update is available",
    nothing_to_roll_back: "There is no earlier release to return to",
    rollback_needs_root: "Only root can undo this update now",
    below_floor: "This release is older than the publisher allows",
    pinned_by_host: "Only root can change this: the host file decides it",
    host_right_missing: "This host does not give the agent the right to do that",
    repository_conflict: "The repository has changed in the meantime",
    repository_unsigned: "Signatures are missing",
    etag_mismatch: "Another user has changed this in the meantime",
    payload_too_large: "This is too large",
    unsupported_media_type: "The device does not accept this format",
    misdirected_request: "This device does not answer to this address",
    password_too_short: "This password is too short",
    password_too_long: "This password is too long",
    password_blocklisted: "This password is too easy to guess",
    password_contains_identity: "This password is too similar to a name",
    panic_threshold: "The time sources ask for too large a correction",
    time_implausible: "This time cannot be right",
    signature_verification_required: "Signatures are always verified",
    too_many_attempts: "Too many attempts",
    rate_limited: "Too many requests",
    account_locked: "Too many wrong codes: codes are locked for a while",
    headers_too_large: "The request is too large",
    internal_error: "The program on the device has failed",
    update_server_refused: "The update server is not accepted",
    update_file_missing: "A file is missing on the update server",
    update_too_large: "The update server sent too much",
    update_metadata_malformed: "The update server sent damaged metadata",
    update_signature_invalid: "The update is not signed by enough of the publisher's keys",
    update_rollback_refused: "The update server offers older metadata than before",
    update_metadata_mismatch: "The files on the update server do not belong together",
    update_metadata_expired: "The metadata on the update server has expired",
    update_limit_exceeded: "The update server exceeds a limit",
    update_not_acceptable: "This release is not for this device",
    update_payload_unsafe: "The content of this release is not safe to unpack",
    update_self_test_failed: "The release failed its self-test",
    update_payload_mismatch: "The download is not the release that was signed",
    update_server_unreachable: "The update server does not answer",
    update_too_slow: "The update server is too slow",
    setup_required: "This device is not set up yet",
    no_time_source: "No time source gives a usable answer",
    no_majority: "The time sources do not agree",
    provider_unreachable: "The sign-in provider does not answer",
    hashing_busy: "The device is busy with other sign-ins",
    second_factor_unavailable: "The second factor cannot be checked now",
    state_damaged: "The stored state of this device is damaged",
    state_locked: "A command on the device is using the stored state",
    not_ready: "The program on the device does not work",
    shutting_down: "The device is restarting",
    storage_full: "The disk of this device is full",
    storage_unwritable: "The disk of this device cannot be written",
  } satisfies Record<ErrorCode, string>,
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
    uniqueItems: () => "The same entry is there twice",
    out_of_range: () => "",
    forbidden: () => "You are not allowed to change this",
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
  noPageText: (path: string) => `There is no page at ${path}. The address may be mistyped or out of date.`,
  toHome: "Go to Home",
  skip: "Skip to the content",
  reconnecting: "The device does not answer. Reconnecting …",
  asOf: (time: string) => `You see what was known at ${time}.`,
  outOfDate: "Steward was updated. Reload this page to use the new version.",
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
  themes: { system: "Look: as the browser's", light: "Look: light", dark: "Look: dark" },
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

export const health = healthWords;

export const signIn = {
  title: "Sign in",
  username: "User name",
  password: "Password",
  code: "Code",
  codeHint: "The six digits that your authenticator shows",
  recoveryCode: "Recovery code",
  recoveryCodeHint: "One of the ten codes that you kept; each works once",
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
  abandon: "Discard them and sign out",
  atProvider: (name: string) => `Sign in with ${name}`,
  windowBlocked:
    "Your browser has blocked the window for signing in. Allow windows for this page, and try again.",
  confirmAtProvider:
    "You sign in at the provider. Do so once more; you are not asked again for the next five minutes.",
  confirmTitle: "Confirm that it is you",
  confirmText: "Type your password again. You are not asked again for the next five minutes.",
  confirm: "Confirm",
  clockDiffers: (device: string, browser: string) =>
    `The clock of this device says ${device}, the one of your browser says ${browser}.`,
  clockDiffersMeaning:
    "Codes depend on the clock of this device and may be refused. A recovery code works in any case; an administrator can then correct the clock under System.",
  rescue:
    "The stored state of this device is damaged: nothing can be changed and signing in is not possible. On the device, root finds out more with steward doctor.",
  usernameHint:
    "3 to 32 lower-case letters (a–z), digits, dots, underscores or hyphens. It starts with a letter and ends with a letter or a digit. It cannot be changed later.",
  passwordLength: (minimum: number) => `${minimum} characters or more.`,
  passwordCount: (length: number, minimum: number) =>
    length < minimum ? `${length} of ${minimum} characters.` : `${length} characters: long enough.`,
  passwordAdvice: "Four unrelated words are hard to guess; digits and symbols are not needed.",
};

export const system = {
  tabs: {
    overview: "Overview",
    settings: "Settings",
    logs: "Logs",
    events: "Events",
  },
};

/** Of a user, for the pages about oneself and about others. */
export const person = {
  role: "Role",
  roles: { admin: "Administrator", operator: "Operator", readonly: "Reader" },
  mayDo: {
    admin: "Everything: users, settings, security, the clock and updates",
    operator:
      "Runs the device: syncs the clock, checks for updates, sets names and update windows. Does not manage users or security.",
    readonly: "Reads logs and status, changes nothing",
  },
  state: "State",
  lastSignIn: "Last sign-in",
  displayName: "Display name",
  sessions: "Sessions",
  tokens: "API tokens",
  end: "End",
  endOf: (browser: string) => `End the session of ${browser}`,
  lastUsed: "Last used",
  tokenOfFleet: "For the fleet",
  onlyFrom: "only from",
  noEnd: "No end",
  expired: "expired",
  newPassword: "New password",
  done: "Done",
  deleteTokenText: "Programs that use it are refused immediately. This cannot be undone.",
};

export const home = { ...homePage, needs, happened, actors };
