import type { Mutant } from "./instrument.ts";

/** A fault that no test can notice, since with it the program does the same; and why. */
export interface Answer {
  readonly file: string;
  /** The line that it is put into, without the blanks around it. */
  readonly source: string;
  /** What stands there with the fault, as `make mutation` prints it. */
  readonly replacement: string;
  readonly why: string;
}

const answers: readonly Answer[] = [];

/** Undefined: nobody has said why it survives. */
export function answerOf({ file, source, replacement }: Mutant): Answer | undefined {
  return answers.find((one) => one.file === file && one.source === source && one.replacement === replacement);
}

/** Answers to faults of a folder that can no longer be put there: the line has changed, and the reason may have. */
export function staleAnswers(folder: string, mutants: readonly Mutant[]): readonly Answer[] {
  const own = answers.filter(({ file }) => file.startsWith(`${folder}/`));
  return own.filter((one) => !mutants.some((mutant) => answerOf(mutant) === one));
}
