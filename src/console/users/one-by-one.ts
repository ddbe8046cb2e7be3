import { t } from "../catalogue/words.ts";
import { Cancelled, codeOf, ProblemError } from "../client/problem.ts";
import { problemName } from "../ui/by-code.ts";

/** Seconds to wait where the agent does not say how long. */
const usualWaitSeconds = 5;

/** Does it to one after another until the signal ends it; failures stop nothing. `onEnd` hears of each. */
export async function oneByOne<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  signal: AbortSignal,
  onEnd: (item: Item, end: { readonly result: Result } | { readonly error: unknown }) => void,
): Promise<void> {
  for (const item of items) {
    if (signal.aborted) return;
    const end = await patiently(() => work(item), signal).then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    );
    // The question for the password was closed: the rest would ask it again.
    if ("error" in end && end.error instanceof Cancelled) return;
    onEnd(item, end);
  }
}

/** Waits as long as the agent says where there are too many requests. */
async function patiently<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
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
  if (code === null) return t.problem.faults.silent.title;
  return problemName(code) ?? code;
}
