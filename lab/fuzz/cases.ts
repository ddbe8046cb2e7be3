import fc, { type Arbitrary } from "fast-check";
import { StewardError } from "../../src/contract/errors.ts";

/** The counts of outcomes: the words of a judge, such as the code of a refusal. */
export type Outcomes = Readonly<Record<string, number>>;

/** Characters of a case in a failure. */
const longestCase = 1_000;

/**
 * Judges so many values; the judge gives the outcomes, or throws. Throws with the smallest value that fast-check found to
 * fail.
 */
export async function judgeCases<T>(
  cases: number,
  values: Arbitrary<T>,
  judge: (value: T) => string | Promise<string | readonly string[]>,
): Promise<Outcomes> {
  const outcomes: Record<string, number> = {};
  const property = fc.asyncProperty(values, async (value) => {
    for (const outcome of [await judge(value)].flat()) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  });
  const details = await fc.check(property, { seed: Number(process.env.STEWARD_SEED ?? 1), numRuns: cases });
  if (!details.failed) return outcomes;
  const { seed, numRuns, counterexample, errorInstance: cause } = details;
  const smallest = fc.stringify(counterexample?.[0]).slice(0, longestCase);
  throw new Error(`case ${numRuns} of seed ${seed}, made small: ${smallest}`, { cause });
}

/** The outcome of the attempt, or the code of the agent's refusal. Throws any other error. */
export async function outcomeOf(attempt: () => Promise<string>): Promise<string> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof StewardError && error.code !== "internal_error") return error.code;
    throw error;
  }
}
