import type { UpdateProblem } from "../../contract/types.ts";

/** A problem with the facts that apply to it. */
export function problemWith(
  code: UpdateProblem["code"],
  detail: string,
  facts: Partial<Omit<UpdateProblem, "code" | "detail">> = {},
): UpdateProblem {
  return { code, detail, release: null, reason: null, failures: null, until: null, ...facts };
}
