import { findingWords } from "../../../../contract/words/en/findings.ts";
import { updateProblems as problems } from "../../../../contract/words/en/update-problems.ts";

/**
 * The sentences for the findings of health checks, which Home loads once a need is about one. The pages that need them in
 * any case have copies in their own files (`device.ts`, `updates.ts`), instead of one more to load.
 */
export const findings = findingWords;

export const updateProblems = problems;
