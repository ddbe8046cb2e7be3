import { problemCauses } from "../../../../contract/words/en/problem-causes.ts";

/** The text of the button under a problem. */
export const remedies = {
  reload: "Reload the page",
  signIn: "Sign in",
  home: "Go to Home",
  users: "Show the users",
  account: "Open your account",
  clock: "Show the clock",
  clockSettings: "Open the clock settings",
  timeSettings: "Open the time settings",
  securitySettings: "Open the security settings",
  host: "Show the host",
  logs: "Show the logs",
  updates: "Show the updates",
  document: "Help with this problem",
  copy: "Copy the command",
  asRoot: "As root on the device:",
};

/** The cause of each error, and what helps. */
export const causes = problemCauses;

/** The failures of the browser that are explained. */
export const faults = {
  unreadable: {
    title: "The file can no longer be read",
    text: "It was changed or moved after you chose it. Choose it again.",
  },
  used: {
    title: "No passkey was used",
    text: "None of yours is on this computer or key, or the question was cancelled or took too long. Try again, or use a code.",
  },
  made: {
    title: "No passkey was made",
    text: "The question was cancelled or took too long, or this browser cannot keep one. Try again.",
  },
  there: {
    title: "There is a passkey already",
    text: "This computer or key has one for your account. Use another one for a second passkey.",
  },
};

/** The cause where a page of the product cannot be opened, by the code of the refusal. */
export const productPages = {
  forbidden: "This page of the product is for a higher role than yours. An administrator can give you one.",
  not_found: "This device has no page of the product with this name. Home has a button for each one.",
};

/** Instead of the agent's detail, where a session ended because its cookie was changed. */
export const binding =
  "The cookie in this browser belongs to another sign-in than this page: another program at this address may have set or copied it. Sign in again.";

/** People who cannot sign in read this. */
export const keptOut = {
  ways: [
    "Forgotten password: an administrator can reset it under Users.",
    "Lost authenticator: after the password, use one of your recovery codes. Without one, an administrator can reset the second factor.",
    "Too many wrong attempts: this page says how long to wait. An administrator can unlock you earlier.",
  ],
  byRoot: "If no administrator can sign in, root can let one in again. On the device:",
};
