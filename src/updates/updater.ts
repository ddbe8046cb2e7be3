import { StewardError } from "../contract/errors.ts";
import type {
  FailedRelease,
  HistoryEntry,
  UpdateProblem,
  UpdateProgress,
  Updates as UpdatesStatus,
  UpdateTrust,
  Upload,
} from "../contract/types.ts";
import { historyEntryOf, kindOnTrial } from "../releases/journal-queries.ts";
import type { UpdateKind } from "../releases/release.ts";
import { newSeed } from "../releases/update-record.ts";
import { applyOrder, kindsOf, requireRollbackByAgent } from "./apply/apply-order.ts";
import { nothingAvailable } from "./apply/apply-refusals.ts";
import { Applying } from "./apply/applying.ts";
import { InstallerRequests } from "./apply/installer-requests.ts";
import { shuttingDown } from "./check/check-refusals.ts";
import { CheckScheduler } from "./check/check-scheduler.ts";
import { availableRelease, hasWaitedForClock } from "./check/hold-conditions.ts";
import { sourceOf } from "./check/settings-block.ts";
import { UploadedChecks } from "./check/uploaded-checks.ts";
import { Downloads } from "./download/downloads.ts";
import { createProgress } from "./facts/progress.ts";
import { ReleaseWatch } from "./facts/release-watch.ts";
import type { UpdaterOptions } from "./facts/updater-options.ts";
import { loadUpdateClient } from "./load-update-client.ts";
import { failedReleases, openFailuresUpTo, withDismissed } from "./status/failed-releases.ts";
import { updateProblems } from "./status/update-problem.ts";
import { restingProgress, type UpdateParts, updatesStatus } from "./status/update-status.ts";
import { createQuietState } from "./status/update-summary.ts";
import { Trust } from "./trust/trust.ts";

/** The room as its callers see it: a class with private members is no type for a double. */
export type UpdateRoom = Pick<Room, keyof Room>;

/** The same for the other rooms: the wiring opens it, and says when the clock is trusted. */
export type Updates = Omit<UpdateRoom, "open" | "clockTrusted">;

/** Opens the room, with its status as good as it was when the last agent stopped. */
export async function openUpdates(options: UpdaterOptions): Promise<UpdateRoom> {
  const room = new Room(options);
  await room.open();
  return room;
}

/**
 * The room of updates: checks for them, downloads and applies them, and keeps the root of trust.
 *
 * Each part is given those below it; what happens in one goes up by a call of its `on…`, and the room passes it on to the
 * others.
 */
class Room {
  readonly #options: UpdaterOptions;
  readonly #parts: UpdateParts;
  readonly #uploadedChecks: UploadedChecks;
  #isStopped = false;
  /** The number of the newest outcome that was seen. */
  #sequence = 0;

  constructor(options: UpdaterOptions) {
    this.#options = options;
    const progress = createProgress(options.uptime);
    const watch = new ReleaseWatch(options, () => this.#onJournal());
    const requests = new InstallerRequests({ options, watch, onMove: () => this.#showProgress() });
    const trust = new Trust({
      ...options,
      server: () => options.settings().ota.server,
      openFollower: async (following) => new (await loadUpdateClient()).RootFollower(following),
      onReplaced: () => this.#dropFetched(),
      onInstalled: () => this.#parts.checks.rootInstalled(),
    });
    const downloads = new Downloads(options, progress, () => requests.inUse());
    const forChecks = { options, trust, downloads, progress, watch };
    const checks = new CheckScheduler({
      options,
      progress,
      run: async (check) => (await loadUpdateClient()).runCheck(forChecks, check),
      require: () => trust.require(),
      // A check would change the metadata and payloads that the installer reads.
      isHeldUp: () => requests.pending() !== null,
      onEnd: (isForApplying) => this.#onChecked(isForApplying),
    });
    this.#uploadedChecks = new UploadedChecks({ options, trust, checks });
    const forApplying = { ...forChecks, checks, requests };
    this.#parts = { ...forApplying, applying: new Applying(forApplying), quietState: createQuietState() };
  }

  async open(): Promise<void> {
    const { record } = this.#options;
    record.note((present) => (present.seed === null ? { ...present, seed: newSeed() } : present), 0);
    await this.#parts.trust.load();
    // A payload that cannot be listed counts as absent: downloading it will report the disk's fault.
    await this.#parts.downloads.load().catch(() => undefined);
    await this.#parts.watch.refresh();
  }

  status(): UpdatesStatus {
    this.#pollRoot();
    return updatesStatus(this.#parts);
  }

  trust(): UpdateTrust {
    this.#pollRoot();
    return this.#parts.trust.view();
  }

  /** Installed, confirmed, and proven by one whole refresh from the server of the settings. */
  isTrustEstablished(): boolean {
    return this.#parts.trust.isEstablished();
  }

  /** Looks at the installed root now: why it cannot be used; null where there is none, or nothing is wrong with it. */
  unusableRoot(): Promise<StewardError | null> {
    return this.#parts.trust.unusable();
  }

  /** The problems that keep updates from working as they should, the gravest first. */
  problems(): readonly UpdateProblem[] {
    return updateProblems(this.#parts);
  }

  /**
   * Begins a check, or joins the one that runs; how it ends shows in the status. `repository`: a `file:///` directory
   * instead of the server. Throws `update_not_configured`, `update_trust_not_established` (no root is installed),
   * `update_root_unusable`, `signature_verification_required`, `pinned_by_host`, and `rate_limited` within 10 s after
   * the last one.
   */
  async check({ repository }: { repository?: string | undefined }): Promise<UpdatesStatus> {
    if (this.#isStopped) throw shuttingDown();
    await this.#parts.checks.check(sourceOf(this.#options, repository));
    return this.status();
  }

  /**
   * Begins a check of a repository that is sent as a tar, and downloads every kind of it. Throws `rate_limited` while another
   * one is read or the installer works, `update_archive_unusable`, `storage_full`, `storage_unwritable`, what the upload
   * throws, and what `check` throws for trust and settings.
   */
  async checkUpload(upload: Upload): Promise<UpdatesStatus> {
    await this.#uploadedChecks.begin(upload);
    return this.status();
  }

  /** Throws `update_trust_not_established`, `update_root_unusable`, `validation_failed` for another fingerprint. */
  async confirmTrust(fingerprint: string, by: string): Promise<UpdatesStatus> {
    await this.#parts.trust.confirm(fingerprint, by);
    return this.status();
  }

  /**
   * Begins to apply the available releases of a kind after a fresh check, downloading them first if needed; progress shows
   * in the status. Throws `update_busy`, `no_update_available`, `update_not_acceptable` (it has failed here),
   * `update_not_set_up`, `state_damaged`, and what `check` throws, except for two checks within 10 s.
   */
  async apply(request: {
    kind: UpdateKind | "all";
    repository?: string | undefined;
  }): Promise<UpdatesStatus> {
    // The installer may have ended a trial just now.
    await this.#parts.watch.refresh();
    const { kinds, source } = applyOrder(this.#parts, request);
    const requireFree = (): void => {
      this.#parts.applying.requireFree();
      if (source !== null) this.#parts.checks.requireJoinable(source);
    };
    requireFree();
    await this.#parts.trust.require();
    // Another request may have begun meanwhile.
    requireFree();
    this.#parts.applying.begin(kinds, source);
    return this.status();
  }

  /** Begins to go back. Throws `update_busy`, `nothing_to_roll_back`, `below_floor`, `update_not_set_up`, `state_damaged`. */
  async rollBack(kind: UpdateKind): Promise<UpdatesStatus> {
    await this.#parts.watch.refresh();
    requireRollbackByAgent(this.#parts, kind);
    this.#parts.applying.requireFree();
    this.#parts.applying.rollBack(kind);
    return this.status();
  }

  /** A way back to the release before: over the API, or only as root; null: there is none. */
  wayBack(kind: UpdateKind): "rollback" | "rollback_as_root" | null {
    try {
      requireRollbackByAgent(this.#parts, kind);
      return "rollback";
    } catch (error) {
      const isForRoot = error instanceof StewardError && error.code === "rollback_needs_root";
      return isForRoot ? "rollback_as_root" : null;
    }
  }

  /** The available release is not applied without a request for so many seconds; 0: it is again. Throws `no_update_available`. */
  async postpone(kind: UpdateKind | "all", seconds: number): Promise<UpdatesStatus> {
    const { record, now } = this.#options;
    const until = seconds === 0 ? null : new Date(now().getTime() + seconds * 1_000).toISOString();
    const releases = kindsOf(kind).flatMap((one) => availableRelease(this.#parts, one) ?? []);
    if (releases.length === 0) throw nothingAvailable();
    const postponed = Object.fromEntries(
      releases.map(({ id, kind: one }) => [one, until === null ? null : { release_id: id, until }]),
    );
    await record.update((present) => ({ ...present, postponed: { ...present.postponed, ...postponed } }));
    this.#parts.applying.consider();
    return this.status();
  }

  /** Takes a failed release, and its kind's before it, as seen to. Resolves with those, newest last. Throws `not_found`. */
  async dismiss(releaseId: string): Promise<readonly FailedRelease[]> {
    await this.#parts.watch.refresh();
    const failed = failedReleases(this.#parts);
    const open = openFailuresUpTo(failed, releaseId);
    if (open.length > 0) await this.#options.record.update((present) => withDismissed(present, failed, open));
    return open;
  }

  /** The releases that were applied, undone or refused, oldest first. */
  history(): readonly HistoryEntry[] {
    return this.#parts.watch.journal().history.map(historyEntryOf);
  }

  /** Hears how far a check, a download or a trial is. */
  subscribe(listener: (progress: UpdateProgress) => void): () => void {
    return this.#parts.progress.subscribe(listener);
  }

  start(): void {
    const { watch } = this.#parts;
    if (kindOnTrial(watch.journal()) !== null) this.#options.installer.goOn();
    watch.start();
    // A power cut may have left one.
    void this.#options.uploaded.remove().catch(() => undefined);
    this.#parts.checks.start();
    this.#parts.applying.start();
    this.#showProgress();
  }

  settingsChanged(): void {
    this.#parts.checks.settingsChanged();
    this.#parts.applying.consider();
  }

  /** The clock has become trusted: what has waited for that goes on. */
  clockTrusted(): void {
    this.#parts.checks.clockTrusted(() => hasWaitedForClock(this.#parts));
    this.#parts.applying.consider();
  }

  /** Settles when nothing is under way. */
  async settled(): Promise<void> {
    do {
      await this.#parts.checks.settled();
      await this.#parts.applying.settled();
    } while (this.#parts.checks.isUnderWay());
    await this.#uploadedChecks.settled();
    await this.#parts.trust.settled();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([this.#parts.checks.stop(), this.#parts.applying.stop(), this.#parts.watch.stop()]);
    await this.#uploadedChecks.settled();
    await this.#parts.trust.settled();
  }

  #onJournal(): void {
    const { sequence } = this.#parts.watch.journal();
    if (sequence !== this.#sequence) this.#parts.checks.outcomeKnown();
    this.#sequence = sequence;
    this.#showProgress();
    this.#parts.applying.consider();
  }

  #onChecked(isForApplying: boolean): void {
    if (!isForApplying) this.#parts.requests.forget();
    this.#showProgress();
    this.#parts.applying.consider();
  }

  #pollRoot(): void {
    if (!this.#parts.checks.isUnderWay() && !this.#isStopped) this.#parts.trust.poll();
  }

  /** A check shows its own progress. */
  #showProgress(): void {
    if (!this.#parts.checks.isUnderWay()) this.#parts.progress.report(restingProgress(this.#parts));
  }

  async #dropFetched(): Promise<void> {
    await this.#parts.checks.dropFetching();
    // A payload that stays does no harm: only what a check has chosen is used.
    await this.#parts.downloads.keepOnly([]).catch(() => undefined);
  }
}
