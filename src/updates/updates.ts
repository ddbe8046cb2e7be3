import type { UpdateProgress, Updates as UpdatesStatus, UpdateTrust } from "../contract/types.ts";
import type { StewardError } from "../errors.ts";

/** The room of updates: looks for them, fetches what it may, and knows whose signatures count. */
export interface Updates {
  status(): UpdatesStatus;
  trust(): UpdateTrust;
  /**
   * Begins a check, or joins the one that runs; how it ends shows in the status. `repository`: a `file:///` directory
   * instead of the server. Throws `update_not_configured`, `update_trust_not_established` (no root is installed),
   * `update_root_unusable`, `signature_verification_required`, and `rate_limited` within 10 s after the last one.
   */
  check(request: { repository?: string | undefined }): Promise<UpdatesStatus>;
  /** Throws `update_trust_not_established`, `update_root_unusable`, `validation_failed` for another fingerprint. */
  confirmTrust(fingerprint: string, by: string): Promise<UpdatesStatus>;
  /** Installed, confirmed, and proven by one whole refresh from the server of the settings. */
  isTrustEstablished(): boolean;
  /** Looks at the installed root now: why it cannot be used; null where there is none, or nothing is wrong with it. */
  unusableRoot(): Promise<StewardError | null>;
  /** Why updates do not work as they should; null: nothing to say. */
  trouble(): string | null;
  settingsChanged(): void;
  /** Hears how far a check or a download is. */
  subscribe(listener: (progress: UpdateProgress) => void): () => void;
  /** Settles when nothing is under way. */
  settled(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}
