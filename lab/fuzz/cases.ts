import assert from "node:assert/strict";
import fc, { type Arbitrary } from "fast-check";
import { StewardError } from "../../src/contract/errors.ts";
import { draw } from "./draw.ts";
import type { Fuzzing } from "./target.ts";

/** Characters of a case in a finding. The seed makes it again. */
const longestCase = 1_000;

/**
 * Judges so many values; the judge gives the outcomes, or throws. A finding is the smallest value that
 * fast-check found to fail.
 */
export async function judgeCases<T>(
  { chance, cases, ledger }: Fuzzing,
  values: Arbitrary<T>,
  judge: (value: T) => string | Promise<string | readonly string[]>,
): Promise<void> {
  const property = fc.asyncProperty(values, async (value) => {
    ledger.begin("");
    const outcomes = await judge(value);
    for (const outcome of [outcomes].flat()) ledger.count(outcome);
  });
  const details = await fc.check(property, { seed: draw(chance, 2 ** 31), numRuns: cases });
  if (!details.failed) return;
  const { errorInstance: error, numRuns, counterexample } = details;
  const what = error instanceof assert.AssertionError ? error.message : (error as Error)?.stack;
  ledger.find(
    `${what}\ncase ${numRuns}, made small: ${fc.stringify(counterexample?.[0]).slice(0, longestCase)}`,
  );
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
