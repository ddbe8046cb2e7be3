export const restoreWords = {
  title: "Restore a backup",
  steps: "Steps of the restoration",
  stepNames: { file: "File", open: "Passphrase", plan: "What changes", restart: "Restart" },
  heads: {
    file: "The backup",
    open: "Open the backup",
    plan: "What will change",
    restart: "The device is starting again",
  },
  intro:
    "The users, settings and all other contents of the backup replace those of this device. Nothing changes before the last step.",
  file: "Backup file",
  fileHint: "Choose the file, or drop it here. Its name ends in .age.",
  send: "Send it to the device",
  sending: "The file is being sent …",
  asNew: "Set up as new instead",
  received: (name: string, size: string) => `The device has received ${name} (${size}).`,
  key: "Passphrase of the backup",
  keyHint: "Or the secret key for a backup that a timer made: AGE-SECRET-KEY-1…",
  role: "This device",
  roles: {
    replacement: {
      text: "replaces the one that was backed up",
      hint: "It takes over its identity, host name, certificate and API tokens. The other one must never be switched on again.",
    },
    other: {
      text: "is another device",
      hint: "It keeps an identity of its own. API tokens wait until an administrator allows each of them here.",
    },
  },
  open: "Show what changes",
  otherFile: "Another file",
  facts: {
    from: "Backup of",
    made: "Made",
    users: "Users",
    tokens: "API tokens",
    goes: "Removed",
    lacks: "Not in the backup",
  },
  users: (count: number, factors: number) => `${count}, of whom ${factors} with a second factor`,
  tokens: (count: number, isReplacement: boolean) =>
    count === 0 || isReplacement ? `${count}` : `${count}, suspended until an administrator resumes them`,
  lostUsers: (count: number) => `${count === 1 ? "1 user" : `${count} users`} of this device`,
  becomes:
    "This device takes over identity, host name, certificate and API tokens. If both devices run, their events contradict each other and their programs use the same tokens.",
  staysItself: "This device keeps its own identity. Everyone signs in with the password from the backup.",
  otherIsOff: "The other device is switched off and will not come back",
  hostFiles: "These files are root's and do not come along. They differ from the other device's:",
  byRoot: "To bring them as well, restore on the device as root instead:",
  verb: "Restore",
  restarting: "This takes a few seconds. The page goes on to the sign-in when the device answers.",
  notBack:
    "If it does not, reload this page: the device may have another name now, and the browser may ask about its certificate.",
};
