import type { Health, UpdateProblem } from "../../../contract/types.ts";
import { updateFacts } from "../../../contract/update-facts.ts";
import { pageFormat } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { type Sentence, sentenceOf } from "../by-code.ts";
import { quoting, updateFormat } from "./update-format.ts";

/** The name of the part of the device that a health check is about. */
export function checkName(name: string): string {
  return t.checkNames[name] ?? name;
}

/** A newer agent may not send these. */
const noFacts = { faults: [], keys: [], members: [], parts: [] };

export function healthSentence(
  { code, detail, facts }: Pick<NonNullable<Health["checks"]>[number], "code" | "detail" | "facts">,
  format = pageFormat,
): Sentence {
  if (code === "updates_degraded")
    return facts.problem ? updatesSentence(facts.problem) : { text: detail, isAgents: true };
  if (code === "ok") return { text: "", isAgents: false };
  // Home begins without them; a need's title, which is all that other pages show of it, does not wait for them.
  const words = (t.findings ?? {}) as Readonly<Record<string, (...given: unknown[]) => string>>;
  return sentenceOf(words, { code, detail }, { ...noFacts, ...facts }, format);
}

export function updatesSentence(
  problem: Pick<UpdateProblem, "code" | "detail" | "reason"> & Partial<UpdateProblem>,
): Sentence {
  return quoting(
    sentenceOf(t.updateProblems ?? {}, problem, updateFacts(problem, updateFormat)),
    problem.reason,
  );
}
