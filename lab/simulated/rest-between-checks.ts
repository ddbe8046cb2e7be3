import type { Updates } from "../../src/contract/types.ts";
import { leastSecondsBetweenChecks } from "../../src/updates/check/check-refusals.ts";
import { until } from "../basics/until.ts";
import type { TestTime } from "./test-time.ts";

type ReadStatus = () => Promise<Updates>;

/** Longer than the rest, and what a test does until it has asked for its own check. */
const calmSeconds = 2 * 60;

/**
 * Lets the seconds pass that must lie between two checks. A scheduled one that would come before the test's own comes
 * first: two repositories are not read at once, and one that has just begun is too soon for another.
 */
export async function restBetweenChecks(time: TestTime, status: ReadStatus): Promise<void> {
  await until("no scheduled check is due", async () => {
    if (!isDueWithin(await untilIdle(status), time.nowSeconds() + calmSeconds)) return true;
    time.pass(calmSeconds);
    return false;
  });
  time.pass(leastSecondsBetweenChecks);
}

/** Waits until it neither checks nor fetches: a trial goes on for as long as it takes. */
export async function untilIdle(status: ReadStatus): Promise<Updates> {
  const isIdle = ({ progress }: Updates): boolean =>
    progress === null || (progress.phase !== "checking" && progress.phase !== "downloading");
  await until("nothing is under way", async () => isIdle(await status()));
  return status();
}

function isDueWithin({ schedule: { next_check_at } }: Updates, bySeconds: number): boolean {
  return next_check_at !== null && Date.parse(next_check_at) / 1_000 < bySeconds;
}
