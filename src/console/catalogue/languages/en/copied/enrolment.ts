/** Words of setting up a second factor, for one's own account and for the first run. */
export const enrolmentWords = {
  inviteText: "With a code from your phone at each sign-in, a stolen password alone is useless.",
  enrolText: "This device requires a second factor. Set yours up to continue.",
  scan: "Scan this with an authenticator app on your phone.",
  qr: "QR code that holds the key beside it",
  secret: "Key",
  secretHint: "To type by hand. It is shown only once.",
  openAuthenticator: "Open an authenticator on this computer",
  onThisPhone:
    "Let the authenticator app on this phone take the key. Then come back and enter the code that it shows.",
  openMine: "Open my authenticator",
  otherwise: "Scan or type the key instead",
  firstCode: "The six digits that the authenticator shows now",
  nextCode: "This is not the current code of this key. Type the next one.",
  enable: "Switch on",
  beginAgain: "Start again",
  allowClock: "Switch it on even though this clock is not in sync",
  allowClockHint: "If the clock is wrong later, you need a recovery code to sign in.",
  recoveryCodes: "Recovery codes",
  recoveryCodesText:
    "Each code signs you in once without your authenticator. Keep them in a different place. They are shown only once.",
  codesFor: (username: string, device: string) => `Recovery codes for ${username} on ${device}`,
  codesUse:
    "Keep this sheet locked away, and not with your phone. Without the phone: sign in with name and password, choose the recovery code, and type one of these. Each works once.",
  kept: "I have saved these codes",
  keepFirst: "Save the codes first",
};
