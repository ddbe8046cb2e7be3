import type { ApplyParts } from "../apply/apply-parts.ts";
import type { Applying } from "../apply/applying.ts";
import type { QuietStateOf } from "./update-summary.ts";

/** The parts of the room, from which its status is read. */
export interface UpdateParts extends ApplyParts {
  readonly applying: Applying;
  readonly quietState: QuietStateOf;
}
