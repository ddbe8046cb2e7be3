import type { Downloads } from "../download/downloads.ts";
import type { Progress } from "../facts/progress.ts";
import type { ReleaseWatch } from "../facts/release-watch.ts";
import type { UpdaterOptions } from "../facts/updater-options.ts";
import type { Trust } from "../trust/trust.ts";

/** The parts of the room that a check reads and writes. */
export interface CheckParts {
  readonly options: UpdaterOptions;
  readonly trust: Trust;
  readonly downloads: Downloads;
  readonly progress: Progress;
  readonly watch: ReleaseWatch;
}
