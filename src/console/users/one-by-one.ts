import { t } from "../catalogue/words.ts";
import { codeOf, ProblemError } from "../client/problem.ts";
import { problemName } from "../ui/by-code.ts";

/** Seconds to wait where the agent does not say how long. */
const usualWaitSeconds = 5;

/** Waits as long as the agent says where there are too many requests. */
export async function patiently<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const problem = error instanceof ProblemError ? error.problem : null;
      if (problem?.code !== "rate_limited" || signal.aborted) throw error;
      const seconds = problem.retry_after ?? usualWaitSeconds;
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    }
  }
}

/** The reason that it failed for one of several users, in a few words. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  if (code === null) return t.problem.unreachable.title;
  return problemName(code) ?? code;
}
