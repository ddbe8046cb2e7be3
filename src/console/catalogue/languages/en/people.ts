import { listWords } from "./copied/lists.ts";
import { personWords } from "./copied/person.ts";

export const lists = listWords;

export const person = personWords;

export const users = {
  add: "Add user",
  you: "you",
  displayNameHint: "Shown beside the user name; at most 64 characters",
  notAccepted: "This does not follow the rule above",
  factorOn: (codes: number) => `on · ${codes} ${codes === 1 ? "code" : "codes"}`,
  factorOff: "off",
  factorOfProvider: "at the sign-in provider",
  states: {
    active: "active",
    locked: "locked",
    disabled: "disabled",
    formerProvider: "provider no longer named",
  },
  comesBack:
    "An account of the sign-in provider is removed, and comes back as a new, enabled one at the person's next sign-in. To keep a person out, disable the account instead, or take them out of the groups at the provider.",
  codesLocked: "codes locked",
  mustChange: "must change password",
  created: "Created",
  actionsHead: "Actions",
  actionsOf: (name: string) => `Actions for ${name}`,
  search: "Search",
  total: (total: number) => `${total} ${total === 1 ? "user" : "users"}`,
  withoutFactor: "no second factor",
  neverSignedIn: "never signed in",
  choose: "Select",
  chooseOne: (name: string) => `Select ${name}`,
  chooseShown: "Select all that are loaded",
  chooseAll: (total: number) => `Select all ${total}`,
  chooseNone: "Select none",
  chosen: (count: number) => `${count} selected`,
  chosenUsers: "Selected users",
  actionsForChosen: "Actions for the selected users",
  aboutMany: (verb: string, count: number) => `${verb}: ${count} ${count === 1 ? "user" : "users"}`,
  notYou: "Your own account is skipped.",
  stop: "Stop",
  manyProgress: (done: number, total: number) => `${done} of ${total}`,
  manyDone: ({ done, failed, left }: { done: number; failed: number; left: number }) =>
    `Done: ${done}.${failed > 0 ? ` Failed: ${failed}.` : ""}${left > 0 ? ` Not started: ${left}.` : ""}`,
  outcomeDone: "done",
  each: "Each of them",
  /** Actions that only several users at once have; the others are said of each of them. */
  many: {
    requirePassword: {
      verb: "Require a new password",
      text: "Their password works for one more sign-in, at which they choose a new one.",
    },
    "role-admin": { verb: "Make administrator", text: "They may do everything on this device." },
    "role-operator": { verb: "Make operator", text: "They run the device, without users and security." },
    "role-readonly": { verb: "Make reader", text: "They read logs and status and change nothing." },
  },
  none: "No user matches these filters.",
  clear: "Clear the filters",
  lastSeen: "Last seen",
  change: "Change",
  week: "Last seven days",
  idle: "They did nothing in the last seven days.",
  more: (count: number) => `and ${count} more`,
  whatTheyDid: "What they did",
  unknown: "This user does not exist. It may have been deleted.",
  passwordMade: "Create a one-use password",
  passwordMadeHint: "It is shown to you once, and replaced at the first sign-in",
  passwordTyped: "Type a password",
  noFactor: "This user has none",
  selfRole: "This is your own role: only another administrator can give it back to you.",
  selfOff:
    "This is your own account: you are signed out at once, and only another administrator can let you in again.",
  own: "Your password, second factor, sessions and tokens",
  theirs: "Theirs",
  yours: "Yours",
  untouched: "not changed",
  reason: "Reason",
  reasonHint: "It is recorded with your name",
  did: (verb: string, name: string) => `${verb}: ${name} ✓`,
  about: (verb: string, name: string) => `${verb}: ${name}`,
  actions: {
    unlock: { verb: "Unlock", text: (name: string) => `${name} can try to sign in again immediately.` },
    resetTwoFactor: {
      verb: "Reset second factor",
      text: (name: string) =>
        `The authenticator and the recovery codes of ${name} stop working, and all sessions and API tokens end. Until a new authenticator is set up, the password alone is enough.`,
    },
    resetPassword: {
      verb: "Reset password",
      text: (name: string) =>
        `The password of ${name} stops working, and all sessions and API tokens end. The second factor stays.`,
    },
    endSessions: {
      verb: "End sessions",
      text: (name: string, tokens: number) =>
        `${name} is signed out everywhere and can sign in again. API tokens that remain valid: ${tokens}.`,
    },
    disable: {
      verb: "Disable",
      text: (name: string) =>
        `${name} is signed out everywhere and cannot sign in, and API tokens stop working, until the user is enabled again.`,
    },
    enable: {
      verb: "Enable",
      text: (name: string) =>
        `${name} can sign in again, with the same password, second factor and API tokens as before.`,
    },
    delete: {
      verb: "Delete",
      text: (name: string) =>
        `${name} is removed, with their second factor and API tokens. This cannot be undone. To keep the account, disable it instead.`,
    },
  },
};
