import { nameRules } from "../../../../contract/shapes.ts";
import { wayInWords } from "./copied/way-in.ts";

export const wayIn = wayInWords;

/** Texts for adding people, and for handing over their access. */
export const adding = {
  another: "Add another",
  accessFor: (username: string) => `Access for ${username}`,
  accessOf: ([first = "", ...rest]: readonly string[]) =>
    rest.length === 0 ? `Access for ${first}` : `Access for ${rest.length + 1} people`,
  once: (username: string) =>
    `Hand this to ${username}: the password works for one sign-in, at which a new one is chosen. It is not shown again; if it is lost, reset the password.`,
  onceEach:
    "Hand a card to each person: the password works for one sign-in, at which a new one is chosen. The passwords are not shown again.",
  typed: (username: string) => `${username} can sign in with the password that you typed.`,
  device: "Device",
  address: "Address",
  oneUse: "One-use password",
  agreed: "as agreed",
  steps: "Open the address and sign in.",
  stepsOnce: "Open the address, sign in, and choose a password of your own.",
  several: "Add several",
  addMany: (count: number) =>
    count === 0 ? "Add people" : count === 1 ? "Add 1 person" : `Add ${count} people`,
  back: "Back to the list",
  file: "File",
  fileHint: "CSV, also dropped anywhere on this page",
  lines: "Lines",
  check: "Check of the lines",
  linesHint:
    "One person on each line: user name, display name, role. Without a role, a person is a reader. The first line may name the columns, as in a list exported here.",
  unused: "Not used:",
  correctFirst: "Some lines have to be corrected first.",
  noText: "This is no readable list. Choose the file again, or save the spreadsheet as CSV",
  tooMany: (most: number) => `At most ${most} people are added at once`,
  checked: ({ fresh, known, faulty }: { fresh: number; known: number; faulty: number }) =>
    `${faulty > 0 ? `To be corrected first: ${faulty}. Then ` : ""}${fresh} can be added.${known > 0 ? ` ${known} skipped, since the user name already exists.` : ""}`,
  isKnown: "already exists",
  faults: {
    username: `User name: 3 to 32 of a–\u2060z, 0–\u20609, dot, underscore, hyphen; a letter first, no punctuation last; ${nameRules.noPerson.join(", ")} are reserved`,
    display_name: "Display name: at most 64 characters, on one line",
    role: "Role: admin, operator or readonly",
    enabled: "Enabled: true or false",
    twice: "An earlier line has this user name",
    quote: "A quotation mark is not closed",
    cells: "More cells than columns",
  },
};
