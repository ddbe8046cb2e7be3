import { checkNames, findingWords } from "../../../../../contract/words/de/findings.ts";
import { updateProblems } from "../../../../../contract/words/de/update-problems.ts";
import type { Catalogue } from "../../../words.ts";

export const healthWords: Catalogue["health"] = {
  checks: checkNames,
  findings: findingWords,
  /** Problems with updates, by code. */
  updates: updateProblems,
};
