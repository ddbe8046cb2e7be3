import { checkNames, findingWords } from "../../../../../contract/words/en/findings.ts";
import { updateProblems } from "../../../../../contract/words/en/update-problems.ts";

/** The words of health checks and of what they find, by code. */
export const healthWords = {
  checks: checkNames,
  findings: findingWords,
  /** Problems with updates, by code. */
  updates: updateProblems,
};
