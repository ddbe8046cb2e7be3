import { answersOfAccounts } from "./answered/accounts.ts";
import { answersOfStore } from "./answered/store.ts";
import { answersOfUpdates } from "./answered/updates.ts";
import type { Mutant } from "./instrument.ts";

/** A fault that no test can notice, since with it the program does the same; and why. */
export interface Answer {
  readonly file: string;
  /** The line that it is put into, without the blanks around it. */
  readonly source: string;
  /** The text with the fault, as `make mutation` prints it. */
  readonly replacement: string;
  readonly why: string;
}

const answers: readonly Answer[] = [
  ...answersOfAccounts,
  ...answersOfStore,
  ...answersOfUpdates,
  {
    file: "src/clock/select/select-intersection.ts",
    source: "if (bottom === null || top === null) continue;",
    replacement: "bottom === null && top === null",
    why: "A point in as many intervals as are wanted is found from both ends or from neither.",
  },
  {
    file: "src/clock/select/select-intersection.ts",
    source: "if (bottom === null || top === null) continue;",
    replacement: "false",
    why: "The same for either half; and for the whole, as null < -0 is false, so that the next line goes on as well.",
  },
  {
    file: "src/clock/select/select.ts",
    source: "return [...candidates].sort((a, b) => merit(a) - merit(b) || (a.id < b.id ? -1 : 1));",
    replacement: "a.id <= b.id",
    why: "No two candidates have one id.",
  },
  {
    file: "src/clock/select/select.ts",
    source: 'if (best === undefined) throw new RangeError("a cluster needs one truechimer at least");',
    replacement: "false",
    why: "Where an interval is agreed on, more than half of the candidates are in it; the type alone does not say so.",
  },
  {
    file: "src/installer/files/release-files.ts",
    source: "await mkdir(path, { mode });",
    replacement: "{}",
    why: "The next line gives it the mode; between the two there is no place where a test could look.",
  },
  {
    file: "src/installer/files/release-files.ts",
    source: "if (dirname(from) !== dirname(to)) await syncDirectory(dirname(from));",
    replacement: "true",
    why: "It syncs one directory twice.",
  },
  {
    file: "src/installer/trial/guard.ts",
    source: "await guard(open, { isBoot: false });",
    replacement: "{}",
    why: "Left out it is not at boot either; the type alone asks for it.",
  },
  {
    file: "src/releases/release.ts",
    source: "if (!isRising || steps.at(-1)?.percent !== 100)",
    replacement: "steps.at(-1).percent",
    why: "A schedule without a step was refused some lines above; the type alone does not say so.",
  },
  {
    file: "src/store/validation/object-schema.ts",
    source: "additionalProperties: false,",
    replacement: "true",
    why: "What lies on the disk may hold members of a newer release: `tolerant` leaves this out of every document's schema.",
  },
  {
    file: "src/releases/rollout-report.ts",
    source: "/^([a-z]{1,16})\\/([a-z0-9][a-z0-9._-]{0,63})\\/([\\w.+-]{1,64})$/.exec(path) ?? [];",
    replacement: '["Stryker was here"]',
    why: "The kind is the second element, and is missing in either.",
  },
  {
    file: "src/releases/selection.ts",
    source: "const isBetter = order > 0 || (order === 0 && one.target.path < best.target.path);",
    replacement: "one.target.path <= best.target.path",
    why: "No two targets of a repository have the same path.",
  },
  {
    file: "src/tuf/canonical-json.ts",
    source: "while (index < left.length && left[index] === right[index]) index += 1;",
    replacement: "true",
    why: "Two names of one object differ, so that there is a place where they do.",
  },
  {
    file: "src/tuf/canonical-json.ts",
    source: "while (index < left.length && left[index] === right[index]) index += 1;",
    replacement: "index <= left.length",
    why: "The same: behind the end of one name the other goes on.",
  },
  {
    file: "src/tuf/root-following.ts",
    source: "if (error instanceof StewardError) return null;",
    replacement: "true",
    why: "Ed25519 and the reader throw nothing else, and another verifier cannot be given here; a fault of the program is not to pass for a damaged file.",
  },
  {
    file: "src/tuf/session.ts",
    source: "if (bytes === null) return null;",
    replacement: "false",
    why: "No file is then read as one that is not text, which gives the same null; the type alone does not say so.",
  },
  {
    file: "src/tuf/signatures.ts",
    source: 'return keyval.public.replace(/\\s/g, "").toLowerCase();',
    replacement: 'keyval.public.replace(/\\s/g, "").toUpperCase()',
    why: "Either makes one of two ways to write a digit.",
  },
  {
    file: "src/tuf/strict-json.ts",
    source: "for (let index = this.#at + 1; index < this.#text.length; index += 1) {",
    replacement: "index <= this.#text.length",
    why: "Behind the end of the text there is neither a quote nor a backslash.",
  },
];

/** Undefined: it has no answer yet. */
export function answerOf({ file, source, replacement }: Mutant): Answer | undefined {
  return answers.find((one) => one.file === file && one.source === source && one.replacement === replacement);
}

/** Answers to faults of a folder that can no longer be put there: the line has changed, and the reason may have. */
export function staleAnswers(folder: string, mutants: readonly Mutant[]): readonly Answer[] {
  const own = answers.filter(({ file }) => file.startsWith(`${folder}/`));
  return own.filter((one) => !mutants.some((mutant) => answerOf(mutant) === one));
}
