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

/** The cause where a page of the product cannot be opened, by the code of the refusal. */
export const productPages = {
  forbidden: "This page of the product is for a higher role than yours. An administrator can give you one.",
  not_found: "This device has no page of the product with this name. Home has a button for each one.",
};

/** People who cannot sign in read this. */
export const keptOut = {
  ways: [
    "Forgotten password: an administrator can reset it under Users.",
    "Lost authenticator: after the password, use one of your recovery codes. Without one, an administrator can reset the second factor.",
    "Too many wrong attempts: this page says how long to wait. An administrator can unlock you before.",
  ],
  byRoot: "If no administrator can sign in, root lets one in again. On the device:",
};
