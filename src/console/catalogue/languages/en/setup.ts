export const firstRun = {
  title: "Set up this device",
  intro: "This device has no users yet. Create the first administrator, with a password that only you know.",
  rescue:
    "Create another administrator, or enter the name of one to set a new password. That ends the sessions and removes the second factor and API tokens.",
  token: "Setup token",
  tokenHint: "On the device, the command steward setup-token shows it.",
  alreadyDone: "This device already has an administrator. Sign in.",
  submit: "Create the administrator",
};
