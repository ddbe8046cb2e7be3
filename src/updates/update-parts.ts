import type { Refusal } from "./apply/apply-decision.ts";
import type { Downloads } from "./download/downloads.ts";
import type { Progress } from "./status/progress.ts";
import type { ReleaseWatch } from "./status/release-watch.ts";
import type { Trust } from "./trust/trust.ts";
import type { UpdaterOptions } from "./updater-options.ts";

/** What updates are made of, and what their status is read from. */
export interface UpdateParts {
  readonly options: UpdaterOptions;
  readonly trust: Trust;
  readonly downloads: Downloads;
  readonly progress: Progress;
  readonly watch: ReleaseWatch;
  readonly applying: ApplyingView;
  /** Seconds; null: no check is planned. */
  readonly nextCheckIn: () => number | null;
}

/** What applying says of itself. */
export interface ApplyingView {
  /** What is under way, in words that go on a colon; null: nothing, so that something can be begun. */
  busy(): string | null;
  /** What root's side is asked to take at this moment. */
  handing(): Handing | null;
  /** What went wrong with what was asked for last, in a sentence; null: nothing. */
  problem(): string | null;
  /** What root's side could not be asked for, by id. */
  failures(): ReadonlyMap<string, Refusal>;
}

export interface Handing {
  /** null: the release before is asked for. */
  readonly id: string | null;
  /** In front of a colon. */
  readonly words: string;
  readonly isBack: boolean;
}
