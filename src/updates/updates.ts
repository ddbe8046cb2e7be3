import type { StewardError } from "../contract/errors.ts";
import type {
  FailedRelease,
  HistoryEntry,
  UpdateProblem,
  UpdateProgress,
  Updates as UpdatesStatus,
  UpdateTrust,
  Upload,
} from "../contract/types.ts";
import type { UpdateKind } from "../releases/release.ts";

/** The room of updates: checks for them, downloads and applies them, and keeps the root of trust. */
export interface Updates {
  status(): UpdatesStatus;
  trust(): UpdateTrust;
  /**
   * Begins a check, or joins the one that runs; how it ends shows in the status. `repository`: a `file:///` directory
   * instead of the server. Throws `update_not_configured`, `update_trust_not_established` (no root is installed),
   * `update_root_unusable`, `signature_verification_required`, `pinned_by_host`, and `rate_limited` within 10 s after
   * the last one.
   */
  check(request: { repository?: string | undefined }): Promise<UpdatesStatus>;
  /**
   * Begins a check of a repository that is sent as a tar, and downloads every kind of it. Throws `rate_limited` while another
   * one is read or the installer works, `update_archive_unusable`, `storage_full`, `storage_unwritable`, what the upload
   * throws, and what `check` throws for trust and settings.
   */
  checkUpload(upload: Upload): Promise<UpdatesStatus>;
  /**
   * Begins to apply the available releases of a kind after a fresh check, downloading them first if needed; progress shows
   * in the status. Throws `update_busy`, `no_update_available`, `update_not_acceptable` (it has failed here),
   * `update_not_set_up`, `state_damaged`, and what `check` throws, except for two checks within 10 s.
   */
  apply(request: { kind: UpdateKind | "all"; repository?: string | undefined }): Promise<UpdatesStatus>;
  /**
   * Begins to go back to the release before. Throws `update_busy`, `nothing_to_roll_back`, `below_floor`,
   * `update_not_set_up`, `state_damaged`.
   */
  rollBack(kind: UpdateKind): Promise<UpdatesStatus>;
  /** A way back to the release before: over the API, or only as root; null: there is none. */
  wayBack(kind: UpdateKind): "rollback" | "rollback_as_root" | null;
  /** The available release is not applied without a request for so many seconds; 0: it is again. Throws `no_update_available`. */
  postpone(kind: UpdateKind | "all", seconds: number): Promise<UpdatesStatus>;
  /**
   * A release that failed here needs a person no more, nor do those of its kind that failed before it. Resolves with
   * those that did until now, the newest last. Throws `not_found`.
   */
  dismiss(releaseId: string): Promise<readonly FailedRelease[]>;
  /** Throws `update_trust_not_established`, `update_root_unusable`, `validation_failed` for another fingerprint. */
  confirmTrust(fingerprint: string, by: string): Promise<UpdatesStatus>;
  /** Installed, confirmed, and proven by one whole refresh from the server of the settings. */
  isTrustEstablished(): boolean;
  /** Looks at the installed root now: why it cannot be used; null where there is none, or nothing is wrong with it. */
  unusableRoot(): Promise<StewardError | null>;
  /** The problems that keep updates from working as they should, the gravest first. */
  problems(): readonly UpdateProblem[];
  settingsChanged(): void;
  /** The releases that were applied, undone or refused, oldest first. */
  history(): readonly HistoryEntry[];
  /** Hears how far a check, a download or a trial is. */
  subscribe(listener: (progress: UpdateProgress) => void): () => void;
  /** Settles when nothing is under way. */
  settled(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}
