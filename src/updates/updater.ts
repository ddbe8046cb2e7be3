import type { StewardError } from "../contract/errors.ts";
import type {
  FailedRelease,
  HistoryEntry,
  UpdateProblem,
  UpdateProgress,
  Updates as UpdatesStatus,
  UpdateTrust,
} from "../contract/types.ts";
import { historyEntryOf, kindOnTrial } from "../releases/journal-queries.ts";
import type { UpdateKind } from "../releases/release.ts";
import { newSeed } from "../releases/update-record.ts";
import { availableRelease } from "./apply/apply-conditions.ts";
import { applyOrder, kindsOf, requireRollback } from "./apply/apply-order.ts";
import { nothingAvailable } from "./apply/apply-refusals.ts";
import { Applying } from "./apply/applying.ts";
import { hasWaitedForClock } from "./apply/waiting-for-clock.ts";
import { shuttingDown } from "./check/check-refusals.ts";
import type { CheckRun } from "./check/check-run.ts";
import { CheckScheduler } from "./check/check-scheduler.ts";
import { sourceOf } from "./check/check-source.ts";
import { Downloads } from "./download/downloads.ts";
import { createProgress } from "./facts/progress.ts";
import { ReleaseWatch } from "./facts/release-watch.ts";
import type { UpdaterOptions } from "./facts/updater-options.ts";
import { loadUpdateClient } from "./load-update-client.ts";
import { failedReleases, openFailuresUpTo, withDismissed } from "./status/failed-releases.ts";
import { updateProblem } from "./status/update-problem.ts";
import { restingProgress, updatesStatus } from "./status/update-status.ts";
import { createRootPoll } from "./trust/root-poll.ts";
import { Trust } from "./trust/trust.ts";
import type { UpdateParts } from "./update-parts.ts";
import type { Updates } from "./updates.ts";

/** The room, with what only the wiring calls. */
export interface UpdateRoom extends Updates {
  /** The clock has become trusted: what has waited for that goes on. */
  clockTrusted(): void;
}

/** Opens the room, with its status as good as it was when the last agent stopped. */
export async function openUpdates(options: UpdaterOptions): Promise<UpdateRoom> {
  const room = new Room(options);
  await room.open();
  return room;
}

class Room implements UpdateRoom {
  readonly #options: UpdaterOptions;
  readonly #parts: UpdateParts;
  readonly #checks: CheckScheduler;
  readonly #applying: Applying;
  readonly #pollRoot: () => void;
  #isStopped = false;
  /** Of the newest outcome that was seen. */
  #sequence = 0;

  constructor(options: UpdaterOptions) {
    this.#options = options;
    const progress = createProgress(options.uptime);
    const applying = new Applying(options, {
      parts: () => this.#parts,
      checks: () => this.#checks,
      onMove: () => this.#showProgress(),
    });
    const downloads = new Downloads(options, progress, () => applying.inUse());
    const server = () => options.settings().ota.server;
    const trust = new Trust({
      ...options,
      server,
      openFollower: async (following) => new (await loadUpdateClient()).RootFollower(following),
      onReplaced: () => this.#dropFetched(),
    });
    const watch = new ReleaseWatch(options, () => this.#onJournal());
    const nextCheckIn = (): number | null => this.#checks.left();
    const runningCheck = (): string | null => this.#checks.runningId();
    this.#applying = applying;
    this.#parts = { options, trust, downloads, progress, watch, applying, nextCheckIn, runningCheck };
    this.#checks = new CheckScheduler({
      options,
      progress,
      run: (check) => runCheck(this.#parts, check),
      require: () => trust.require(),
      isHeldUp: () => this.#isInstallerReading(),
      onEnd: (isForApplying) => this.#onChecked(isForApplying),
    });
    this.#pollRoot = createRootPoll({ ...options, trust }, () => this.#checks.rootInstalled());
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
    if (!this.#checks.isUnderWay() && !this.#isStopped) this.#pollRoot();
    return updatesStatus(this.#parts);
  }

  trust(): UpdateTrust {
    if (!this.#checks.isUnderWay() && !this.#isStopped) this.#pollRoot();
    return this.#parts.trust.view();
  }

  isTrustEstablished(): boolean {
    return this.#parts.trust.isEstablished();
  }

  unusableRoot(): Promise<StewardError | null> {
    return this.#parts.trust.unusable();
  }

  problem(): UpdateProblem | null {
    return updateProblem(this.#parts);
  }

  async check({ repository }: { repository?: string | undefined }): Promise<UpdatesStatus> {
    if (this.#isStopped) throw shuttingDown();
    await this.#checks.check(sourceOf(this.#options, repository));
    return this.status();
  }

  async confirmTrust(fingerprint: string, by: string): Promise<UpdatesStatus> {
    await this.#parts.trust.confirm(fingerprint, by);
    return this.status();
  }

  async apply(request: Parameters<Updates["apply"]>[0]): Promise<UpdatesStatus> {
    // The installer may have ended a trial just now.
    await this.#parts.watch.refresh();
    const { kinds, source } = applyOrder(this.#parts, request);
    const requireFree = (): void => {
      this.#applying.requireFree();
      if (source !== null) this.#checks.requireJoinable(source);
    };
    requireFree();
    await this.#parts.trust.require();
    // Another request may have begun meanwhile.
    requireFree();
    this.#applying.begin(kinds, source);
    return this.status();
  }

  async rollBack(kind: UpdateKind): Promise<UpdatesStatus> {
    await this.#parts.watch.refresh();
    requireRollback(this.#parts, kind);
    this.#applying.requireFree();
    this.#applying.rollBack(kind);
    return this.status();
  }

  async postpone(kind: UpdateKind | "all", seconds: number): Promise<UpdatesStatus> {
    const { record, now } = this.#options;
    const until = seconds === 0 ? null : new Date(now().getTime() + seconds * 1_000).toISOString();
    const releases = kindsOf(kind).flatMap((one) => availableRelease(this.#parts, one) ?? []);
    if (releases.length === 0) throw nothingAvailable();
    const postponed = Object.fromEntries(
      releases.map(({ id, kind: one }) => [one, until === null ? null : { release_id: id, until }]),
    );
    await record.update((present) => ({ ...present, postponed: { ...present.postponed, ...postponed } }));
    this.#applying.consider();
    return this.status();
  }

  async dismiss(releaseId: string): Promise<readonly FailedRelease[]> {
    await this.#parts.watch.refresh();
    const failed = failedReleases(this.#parts);
    const open = openFailuresUpTo(failed, releaseId);
    if (open.length > 0) await this.#options.record.update((present) => withDismissed(present, failed, open));
    return open;
  }

  history(): readonly HistoryEntry[] {
    return this.#parts.watch.journal().history.map(historyEntryOf);
  }

  subscribe(listener: (progress: UpdateProgress) => void): () => void {
    return this.#parts.progress.subscribe(listener);
  }

  start(): void {
    const { watch } = this.#parts;
    if (kindOnTrial(watch.journal()) !== null) this.#options.installer.goOn();
    watch.start();
    this.#checks.start();
    this.#applying.start();
    this.#showProgress();
  }

  settingsChanged(): void {
    this.#checks.settingsChanged();
    this.#applying.consider();
  }

  clockTrusted(): void {
    this.#checks.clockTrusted(() => hasWaitedForClock(this.#parts));
    this.#applying.consider();
  }

  async settled(): Promise<void> {
    do {
      await this.#checks.settled();
      await this.#applying.settled();
    } while (this.#checks.isUnderWay());
    await this.#parts.trust.settled();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([this.#checks.stop(), this.#applying.stop(), this.#parts.watch.stop()]);
    await this.#parts.trust.settled();
  }

  /** A check would change the metadata and payloads that the installer reads. */
  #isInstallerReading(): boolean {
    return this.#applying.pending() !== null;
  }

  #onJournal(): void {
    const { sequence } = this.#parts.watch.journal();
    if (sequence !== this.#sequence) this.#checks.outcomeKnown();
    this.#sequence = sequence;
    this.#showProgress();
    this.#applying.consider();
  }

  #onChecked(isForApplying: boolean): void {
    if (!isForApplying) this.#applying.forget();
    this.#showProgress();
    this.#applying.consider();
  }

  /** A check shows its own progress. */
  #showProgress(): void {
    if (!this.#checks.isUnderWay()) this.#parts.progress.report(restingProgress(this.#parts));
  }

  async #dropFetched(): Promise<void> {
    await this.#checks.dropFetching();
    // A payload that stays does no harm: only what a check has chosen is used.
    await this.#parts.downloads.keepOnly([]).catch(() => undefined);
  }
}

async function runCheck(parts: UpdateParts, check: CheckRun): Promise<number> {
  return (await loadUpdateClient()).runCheck(parts, check);
}
