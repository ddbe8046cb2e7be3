import { StewardError } from "../../contract/errors.ts";
import type { Standing } from "./knowledge.ts";
import type { Way } from "./mode.ts";

/** What decides whether a person may set the clock, and to what. */
export interface HandFacts {
  readonly way: Way | null;
  readonly standing: Pick<Standing, "trust" | "state">;
  readonly floorSeconds: number;
  readonly ceilingSeconds: number;
}

/**
 * Only where nobody better vouches for the clock, or in mode manual; and to a time that can be true.
 * Throws `conflict_discipliner`, `time_implausible`, `validation_failed`.
 */
export function checkSetByHand(time: Date, { way, standing, ...bounds }: HandFacts): void {
  const seconds = time.getTime() / 1_000;
  if (Number.isNaN(seconds)) {
    throw new StewardError("validation_failed", "The time must be a date such as 2026-11-20T14:03:00Z.");
  }
  const isOurs = way?.kind === "manual" || standing.trust === "none" || standing.state === "manual";
  if (!isOurs) {
    const who = way?.kind === "delegate" ? way.daemon : "the time servers";
    throw new StewardError(
      "conflict_discipliner",
      `The clock is kept right by ${who}, and was not set by hand. To set it all the same, first set time.mode to manual.`,
    );
  }
  if (seconds < bounds.floorSeconds) {
    const floor = new Date(bounds.floorSeconds * 1_000).toISOString();
    throw new StewardError(
      "time_implausible",
      `${time.toISOString()} is past for certain: the floor is ${floor}. If the floor is wrong, as root: \`steward time floor reset\`.`,
    );
  }
  if (seconds > bounds.ceilingSeconds) {
    throw new StewardError(
      "time_implausible",
      `${time.toISOString()} is more than 15 years after this program was built. Check the year.`,
    );
  }
}
