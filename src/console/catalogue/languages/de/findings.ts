import { findingWords } from "../../../../contract/words/de/findings.ts";
import { updateProblems as problems } from "../../../../contract/words/de/update-problems.ts";
import type { Catalogue } from "../../words.ts";

export const findings: Catalogue["findings"] = findingWords;

export const updateProblems: Catalogue["updateProblems"] = problems;
