import type { UpdateProblem } from "../contract/types.ts";
import type { Downloads } from "./download/downloads.ts";
import type { HoldReason } from "./facts/hold-reason.ts";
import type { Progress } from "./facts/progress.ts";
import type { ReleaseWatch } from "./facts/release-watch.ts";
import type { UpdaterOptions } from "./facts/updater-options.ts";
import type { ReleaseName } from "./status/update-summary.ts";
import type { Trust } from "./trust/trust.ts";

/** The parts of the room, from which its status is read. */
export interface UpdateParts {
  readonly options: UpdaterOptions;
  readonly trust: Trust;
  readonly downloads: Downloads;
  readonly progress: Progress;
  readonly watch: ReleaseWatch;
  readonly applying: ApplyingView;
  /** Seconds; null: no check is planned. */
  readonly nextCheckIn: () => number | null;
  /** The id of the check in progress; null: there is none. */
  readonly runningCheck: () => string | null;
}

/** The state of applying, for the status. */
export interface ApplyingView {
  /** The work in progress, in words that follow a colon; null: none, so that work can begin. */
  busy(): string | null;
  /** The request that the installer is working on. */
  pending(): PendingRequest | null;
  /** What went wrong with the last request; null: nothing. */
  problem(): UpdateProblem | null;
  /** Releases that the installer refused, or that it could not be started for, by id. */
  failures(): ReadonlyMap<string, HoldReason>;
}

/** What the installer was started for. */
export interface PendingRequest {
  /** null: the previous release is requested. */
  readonly id: string | null;
  readonly release: ReleaseName;
  readonly isRollback: boolean;
}
