import type { UpdateProgress, Updates as UpdatesStatus, UpdateTrust } from "../contract/types.ts";
import type { StewardError } from "../errors.ts";
import { type Alarm, createAlarm } from "./alarm.ts";
import type { CheckSource } from "./check-outcome.ts";
import {
  leastSecondsBetweenChecks,
  otherRepository,
  shuttingDown,
  superseded,
  tooSoon,
} from "./check-refusals.ts";
import { sourceOf } from "./check-source.ts";
import { createDownloads } from "./downloads.ts";
import type { Flight } from "./flight.ts";
import { createProgress, idle } from "./progress.ts";
import { createRootLook } from "./root-look.ts";
import { firstCheckIn, nextCheckIn } from "./schedule.ts";
import { type Basis, basisOf, keepRetry, retryLeft } from "./schedule-basis.ts";
import { troubleOf } from "./trouble.ts";
import { createTrust } from "./trust.ts";
import { newSeed } from "./update-record.ts";
import { type StatusParts, updatesStatus } from "./update-status.ts";
import type { UpdaterOptions } from "./updater-options.ts";
import type { Updates } from "./updates.ts";
import { hasWaitedForClock } from "./waiting-for-clock.ts";

/** The room, with what only those who join the rooms call. */
export interface UpdateRoom extends Updates {
  /** Somebody has begun to vouch for the clock: what has waited for that goes on. */
  clockVouchedFor(): void;
}

/** Opens the room, with its status as good as it was when the last agent stopped. */
export async function openUpdates(options: UpdaterOptions): Promise<UpdateRoom> {
  const room = new Room(options);
  await room.open();
  return room;
}

/** Seconds within which a change of the settings leads to a check: a fleet tool changes all devices at once. */
const soonSeconds = 60;

/** Seconds after which a check that came due during another one comes due again. */
const busySeconds = 300;

interface Flying {
  readonly source: CheckSource;
  readonly abort: (reason: StewardError) => void;
  readonly done: Promise<void>;
}

class Room implements UpdateRoom {
  readonly #options: UpdaterOptions;
  readonly #parts: StatusParts;
  readonly #alarm: Alarm;
  #flying: Flying | null = null;
  #isFetching = false;
  #begunAt = Number.NEGATIVE_INFINITY;
  readonly #lookAtRoot: () => void;
  #isStarted = false;
  #isStopped = false;
  #basis: Basis;

  constructor(options: UpdaterOptions) {
    this.#options = options;
    const progress = createProgress(options.uptime);
    const downloads = createDownloads(options, progress);
    const server = () => options.settings().ota.server;
    const trust = createTrust({ ...options, server, onReplaced: () => this.#dropFetched() });
    this.#alarm = createAlarm(options, () => this.#onDue());
    this.#parts = { options, trust, downloads, progress, nextCheckIn: () => this.#alarm.left() };
    this.#lookAtRoot = createRootLook({ ...options, trust }, () => {
      if (this.#alarm.left() !== null) this.#alarm.set(this.#soon());
    });
    this.#basis = basisOf(options);
  }

  async open(): Promise<void> {
    const { record } = this.#options;
    record.note((present) => (present.seed === null ? { ...present, seed: newSeed() } : present), 0);
    await this.#parts.trust.load();
    // What cannot be looked for is not there: fetching it will say what is wrong with the disk.
    await this.#parts.downloads.load().catch(() => undefined);
  }

  status(): UpdatesStatus {
    if (!this.#flying && !this.#isStopped) this.#lookAtRoot();
    return updatesStatus(this.#parts);
  }

  trust(): UpdateTrust {
    if (!this.#flying && !this.#isStopped) this.#lookAtRoot();
    return this.#parts.trust.view();
  }

  isTrustEstablished(): boolean {
    return this.#parts.trust.isEstablished();
  }

  unusableRoot(): Promise<StewardError | null> {
    return this.#parts.trust.unusable();
  }

  trouble(): string | null {
    return troubleOf(this.#parts);
  }

  async check({ repository }: { repository?: string | undefined }): Promise<UpdatesStatus> {
    if (this.#isStopped) throw shuttingDown();
    const source = sourceOf(this.#options.settings().ota, repository);
    // What somebody brings goes before what is fetched over a slow line, and that goes on afterwards from where it was.
    if (this.#isFetching && !source.isServer) await this.#supersede();
    if (!this.#isUnderWay(source)) {
      const seconds = this.#begunAt + leastSecondsBetweenChecks - this.#options.uptime();
      if (seconds > 0) throw tooSoon(seconds);
      await this.#parts.trust.require();
      if (this.#isStopped) throw shuttingDown();
      if (!this.#isUnderWay(source)) this.#begin(source);
    }
    return this.status();
  }

  async confirmTrust(fingerprint: string, by: string): Promise<UpdatesStatus> {
    await this.#parts.trust.confirm(fingerprint, by);
    return this.status();
  }

  subscribe(listener: (progress: UpdateProgress) => void): () => void {
    return this.#parts.progress.subscribe(listener);
  }

  start(): void {
    this.#isStarted = true;
    const seconds = firstCheckIn(this.#basis.intervalSeconds, this.#options.random());
    if (this.#basis.isEnabled) this.#alarm.set(Math.max(seconds, retryLeft(this.#options)));
  }

  settingsChanged(): void {
    const [before, after] = [this.#basis, basisOf(this.#options)];
    this.#basis = after;
    const isElsewhere = before.server !== after.server || before.channel !== after.channel;
    if (isElsewhere) this.#flying?.abort(superseded());
    if (before.server !== after.server) {
      const forgiven = { failures: 0, download_failures: 0, retry: null };
      this.#options.record.note((present) => ({ ...present, ...forgiven }), soonSeconds);
    }
    if (!after.isEnabled) this.#alarm.clear();
    else if (!this.#isStarted) return;
    else if (isElsewhere || !before.isEnabled) this.#alarm.set(this.#soon());
    else if (before.intervalSeconds !== after.intervalSeconds) {
      const next = nextCheckIn(after.intervalSeconds, this.#options.random());
      this.#alarm.set(Math.min(next, this.#alarm.left() ?? next));
    }
  }

  clockVouchedFor(): void {
    const { record, settings } = this.#options;
    const { server } = settings().ota;
    if (this.#flying || this.#isStopped || server === "" || !hasWaitedForClock(this.#parts)) return;
    record.note((present) => ({ ...present, retry: null }), soonSeconds);
    this.#begin({ url: server, isServer: true });
  }

  async settled(): Promise<void> {
    while (this.#flying) await this.#flying.done;
    await this.#parts.trust.settled();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#alarm.clear();
    this.#flying?.abort(shuttingDown());
    await this.settled();
    keepRetry(this.#options);
  }

  /** Throws `rate_limited` while a check of something else is under way. */
  #isUnderWay(source: CheckSource): boolean {
    if (this.#flying === null) return false;
    if (this.#flying.source.url === source.url) return true;
    throw otherRepository();
  }

  #begin(source: CheckSource): void {
    const { progress } = this.#parts;
    const controller = new AbortController();
    this.#begunAt = this.#options.uptime();
    progress.report({ ...idle, phase: "checking" });
    const onFetching = (): void => {
      this.#isFetching = true;
    };
    const flown = takeOff(this.#parts, { source, signal: controller.signal, onFetching });
    const ended = flown.then(
      (seconds) => this.#onEnd(source, seconds),
      (error: unknown) => this.#onEnd(source, this.#waitAfter(error, controller.signal)),
    );
    this.#flying = { source, done: ended, abort: (reason) => controller.abort(reason) };
  }

  /** An end that was wished for leaves nothing behind; what nobody thought of is told, and does not end the checks. */
  #waitAfter(error: unknown, { aborted }: AbortSignal): number {
    if (aborted) return this.#soon();
    const detail = error instanceof Error ? error.message : String(error);
    this.#options.notify("update.check_failed", { code: "internal_error", detail });
    return this.#basis.intervalSeconds;
  }

  #onEnd({ isServer }: CheckSource, seconds: number): void {
    this.#flying = null;
    this.#isFetching = false;
    this.#parts.progress.report(idle);
    if (this.#isStopped || !this.#isStarted || !isServer || !this.#basis.isEnabled) return;
    const isWaitOver =
      this.#options.record.read().last_check?.outcome === "waiting_for_clock" &&
      this.#options.isClockVouchedFor();
    this.#alarm.set(isWaitOver ? this.#soon() : seconds);
  }

  #onDue(): void {
    const { ota } = this.#options.settings();
    if (this.#isStopped || !ota.enabled || ota.server === "") return;
    // Whoever is at it sets the alarm anew when it ends; without trust or signatures there is nothing to look for.
    if (this.#flying) this.#alarm.set(busySeconds);
    else if (!ota.verify_signature) this.#alarm.set(this.#basis.intervalSeconds);
    else this.#begin({ url: ota.server, isServer: true });
  }

  /** Not before a server that asked for it may be asked again. */
  #soon(): number {
    return Math.max(soonSeconds * this.#options.random(), retryLeft(this.#options));
  }

  async #supersede(): Promise<void> {
    const flying = this.#flying;
    flying?.abort(superseded());
    await flying?.done;
  }

  async #dropFetched(): Promise<void> {
    if (this.#isFetching) await this.#supersede();
    // A payload that stays is in nobody's way: only what a check has chosen is ever used.
    await this.#parts.downloads.keepOnly([]).catch(() => undefined);
  }
}

/** The client of the repository is loaded by the first check: an agent that never checks does without. */
async function takeOff(parts: StatusParts, flight: Flight): Promise<number> {
  const { workshop } = await import("./workshop.ts");
  return workshop.fly(parts, flight);
}
