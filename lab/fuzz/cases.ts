import fc, { type Arbitrary } from "fast-check";
import { draw } from "./draw.ts";
import type { Fuzzing } from "./target.ts";

/**
 * Judges so many values; the judge gives the outcome, or throws. A finding is the report of fast-check, with the smallest
 * value that it found to fail as well.
 */
export async function judgeCases<T>(
  { chance, cases, ledger }: Fuzzing,
  values: Arbitrary<T>,
  judge: (value: T) => string | Promise<string>,
): Promise<void> {
  const property = fc.asyncProperty(values, async (value) => {
    ledger.begin("");
    ledger.count(await judge(value));
  });
  const details = await fc.check(property, {
    ...{ seed: draw(chance, 2 ** 31), numRuns: cases, includeErrorInReport: true },
  });
  const report = await fc.asyncDefaultReportMessage(details);
  if (report !== undefined) ledger.find(report);
}
