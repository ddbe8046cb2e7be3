import type { CheckParts } from "../check/check-parts.ts";
import type { CheckScheduler } from "../check/check-scheduler.ts";
import type { InstallerRequests } from "./installer-requests.ts";

/** The parts of the room that applying a release needs. */
export interface ApplyParts extends CheckParts {
  readonly checks: CheckScheduler;
  readonly requests: InstallerRequests;
}
