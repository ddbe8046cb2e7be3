import { checkNames, findingWords } from "../../../../../contract/words/en/findings.ts";
import { updateProblems } from "../../../../../contract/words/en/update-problems.ts";

/** What health checks find, by code, with the facts that the code has. */
export const healthWords = {
  checks: checkNames,
  findings: findingWords,
  /** Problems with updates, by code. */
  updates: updateProblems,
};
