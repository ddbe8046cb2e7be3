import { nameRules } from "../../../../../contract/shapes.ts";

/** Words about a user, for the pages about oneself and about others. */
export const personWords = {
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
  namelessProgram: "a program without a name",
  lastUsed: "Last used",
  tokenOfFleet: "For the fleet",
  onlyFrom: "only from",
  noEnd: "No end",
  expired: "expired",
  suspended: "suspended",
  resume: "Resume",
  newPassword: "New password",
  deleteTokenText: "Programs that use it are refused immediately. This cannot be undone.",
  usernameHint: "Such as ana or j.smith. It cannot be changed later.",
  usernameRule: `3 to 32 lower-case letters (a–\u2060z), digits, dots, underscores or hyphens are expected, with a letter first and a letter or a digit last; ${nameRules.noPerson.join(", ")} are reserved for actors that are not people`,
  passwordLength: (minimum: number) => `${minimum} characters or more.`,
  passwordCount: (length: number, minimum: number) =>
    length < minimum ? `${length} of ${minimum} characters.` : `${length} characters: long enough.`,
  passwordAdvice: "Four unrelated words are hard to guess; digits and symbols are not needed.",
};
