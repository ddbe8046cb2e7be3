import type { UpdateProblem } from "../../contract/types.ts";
import { problemSentence } from "./update-sentences.ts";

type Facts = Partial<Omit<UpdateProblem, "code" | "detail">>;

/** A problem with its sentence, and the facts that apply to it. */
export function problemWith(
  code: UpdateProblem["code"],
  { setting, ...facts }: Facts & { readonly setting?: string } = {},
): UpdateProblem {
  const detail = problemSentence(code, { ...facts, setting });
  return { code, detail, release: null, reason: null, failures: null, until: null, ...facts };
}
