import { enrolmentWords } from "./copied/enrolment.ts";
import { personWords } from "./copied/person.ts";

export const person = personWords;
export const enrolment = enrolmentWords;

export const account = {
  welcome: "You are now the administrator of this device. Set up a second factor below.",
  lostRemoved:
    "Your lost authenticator and its recovery codes have been removed. Until you set up another one below, you sign in with your password alone.",
  ofProvider: "You sign in at the provider, which keeps your password, second factor, name and role.",
  signIn: "Sign-in",
  you: "You",
  displayNameHint: "Others see it in lists. It may be empty",
  passwordText: "Changing it ends your other sessions.",
  oneUsePassword: "The one-use password has been used. Now choose your own.",
  presentPassword: "Current password",
  presentOneUse: "One-use password",
  changePassword: "Change password",
  passwordChanged: "Password changed. Your other sessions have ended.",
  enrol: "Set up a second factor",
  steps: "Steps",
  enrolmentSteps: { password: "Password", authenticator: "Authenticator", codes: "Recovery codes" },
  on: "on",
  since: "Switched on",
  codesLeft: "Recovery codes left",
  fewCodes: (count: number) => `${count}: create new ones`,
  renewCodes: "Create new recovery codes",
  renewCodesText: "The old ones stop working immediately.",
  lost: "Replace the authenticator",
  lostText:
    "A recovery code removes the current authenticator, and your other sessions end. Then set up another one.",
  removeLost: "Remove the current one",
  remove: "Switch off",
  removeTitle: "Switch off the second factor",
  removeText:
    "You then sign in with your password alone. Your other sessions end; your recovery codes stop working.",
  removed: "The second factor has been removed.",
  requiredByPolicy: "This device requires a second factor. You can replace the authenticator.",
  passkeys: "Passkeys",
  passkeysText:
    "A passkey signs you in without a code. It works under one name of this device, your codes under all.",
  addPasskey: "Add a passkey",
  addPasskeyText:
    "Your browser asks which one: of this phone or computer, of another phone, or a security key.",
  passkeyNameHint: "To tell it from others; at most 64 characters",
  added: "Added",
  passkeyAdded: "The passkey has been added.",
  removePasskeyTitle: (name: string) => `Remove the passkey ${name}`,
  removePasskeyText: "It no longer signs you in here. Delete it where it is kept as well.",
  passkeyRemoved: "The passkey has been removed.",
  tokensText: "With a token, a program acts in your name, within the token's scopes and your role.",
  token: "Token",
  createToken: "Create token",
  purpose: "Choose scopes for",
  purposes: {
    monitoring: "Monitoring",
    fleet: "A fleet's state",
    records: "Logs and events",
    updates: "Updates",
  },
  tokenNameHint: "What it is for",
  scopesTitle: "Scopes",
  chooseScope: "Choose at least one scope",
  days: (count: number) => (count === 1 ? "after 1 day" : `after ${count} days`),
  tokenMade: "Give it to the program now: it is shown only once.",
  recipes: "How a program uses it",
  saveToken:
    "Save it in a file that only you can read: run this line, paste the token, press Enter, then Ctrl-D.",
  firstRequest: "A first request:",
  prometheus:
    "For Prometheus, save it beside prometheus.yml, as the user that Prometheus runs as, and add this section there:",
  prometheusCertificate:
    "Fetch the certificate into the same directory; it stays only if its fingerprint is right:",
};
