import { randomBytes } from "node:crypto";
import { messageOf, type StewardError } from "../../contract/errors.ts";
import { updateKinds } from "../../contract/update-kinds.ts";
import type { UpdateKind } from "../../releases/release.ts";
import { idle, type Progress } from "../facts/progress.ts";
import type { UpdaterOptions } from "../facts/updater-options.ts";
import { type Alarm, createAlarm } from "./alarm.ts";
import type { CheckSource } from "./check-outcome.ts";
import {
  heldUpBy,
  installerBusy,
  leastSecondsBetweenChecks,
  shuttingDown,
  superseded,
  tooSoon,
} from "./check-refusals.ts";
import type { CheckRun } from "./check-run.ts";
import { firstCheckIn, leftOf, nextCheckIn } from "./schedule.ts";
import { settingsBlock } from "./settings-block.ts";

interface SchedulerPlan {
  readonly options: UpdaterOptions;
  readonly progress: Progress;
  /** Runs a check; gives back the seconds to the next. */
  readonly run: (check: CheckRun) => Promise<number>;
  /** Throws where there is no usable root of trust. */
  readonly require: () => Promise<void>;
  /** The installer is reading what a check would write. */
  readonly isHeldUp: () => boolean;
  /** Called after each; `isForApplying`: it was for a requested release. */
  readonly onEnd: (isForApplying: boolean) => void;
}

/** Seconds within which a change of the settings leads to a check: a fleet tool changes all devices at once. */
const soonSeconds = 60;

/** Seconds within which a publisher who asked for reports learns an outcome: a bad release spreads until then. */
const outcomeSeconds = 300;

/** Seconds after which a check that came due during another one comes due again. */
const busySeconds = 300;

interface RunningCheck {
  readonly id: string;
  readonly source: CheckSource;
  readonly isForApplying: boolean;
  readonly abort: (reason: StewardError) => void;
  readonly done: Promise<void>;
}

/** Runs checks, one at a time, when they are due and on request. */
export class CheckScheduler {
  readonly #plan: SchedulerPlan;
  readonly #options: UpdaterOptions;
  readonly #alarm: Alarm;
  #running: RunningCheck | null = null;
  #isFetching = false;
  #begunAt = Number.NEGATIVE_INFINITY;
  #isStarted = false;
  #isStopped = false;
  #basis: Basis;

  constructor(plan: SchedulerPlan) {
    this.#plan = plan;
    this.#options = plan.options;
    this.#alarm = createAlarm(plan.options, () => this.#onDue());
    this.#basis = basisOf(plan.options);
  }

  isUnderWay(): boolean {
    return this.#running !== null;
  }

  /** The id of the check in progress; null: there is none. */
  runningId(): string | null {
    return this.#running?.id ?? null;
  }

  /** Seconds to the next scheduled one; null: none is scheduled. */
  left(): number | null {
    return this.#alarm.left();
  }

  /** Begins one, or joins the one that runs. Throws `rate_limited`, and what `require` throws. */
  async check(source: CheckSource): Promise<void> {
    // A directory on the device goes before a download over a slow line, which continues afterwards where it was.
    if (this.#isFetching && !source.isServer && !this.#running?.isForApplying) await this.#supersede();
    if (this.#isJoined(source)) return;
    if (this.#plan.isHeldUp()) throw installerBusy();
    const seconds = this.#begunAt + leastSecondsBetweenChecks - this.#options.uptime();
    if (seconds > 0) throw tooSoon(seconds);
    await this.#plan.require();
    if (this.#isStopped) throw shuttingDown();
    if (this.#plan.isHeldUp()) throw installerBusy();
    if (!this.#isJoined(source)) void this.#begin(source);
  }

  /** Throws `rate_limited` while one is under way that reads another repository. */
  requireJoinable(source: CheckSource): void {
    // A slow download can be continued later; a directory on a stick may be gone by then.
    if (!(this.#isFetching && this.#running?.source.isServer)) this.#isJoined(source);
  }

  /** Runs a check for releases to apply, in place of one in progress. False: a change of settings or trust ended it. */
  async checkFor(kinds: ReadonlySet<UpdateKind>, source: CheckSource): Promise<boolean> {
    // A fresh check, however recent the last one: requests to apply something are rare.
    while (this.#running) await this.#supersede();
    if (this.#isStopped) return false;
    return this.#begin(source, kinds, true);
  }

  /** Throws `rate_limited` where no check of a repository that was sent here could begin: it takes the place of any other. */
  requireReplaceable(): void {
    if (this.#isStopped) throw shuttingDown();
    if (this.#plan.isHeldUp()) throw installerBusy();
    if (this.#running?.isForApplying) throw heldUpBy("Another repository is being read");
  }

  /** Begins a check in place of one, and downloads all while the source is here. `ended`: with it. Throws `rate_limited`. */
  async replace(source: CheckSource): Promise<{ readonly ended: Promise<unknown> }> {
    this.requireReplaceable();
    while (this.#running) {
      await this.#supersede();
      this.requireReplaceable();
    }
    return { ended: this.#begin(source, new Set(updateKinds)) };
  }

  /** Ends one that is fetching. */
  async dropFetching(): Promise<void> {
    if (this.#isFetching) await this.#supersede();
  }

  rootInstalled(): void {
    if (this.#alarm.left() !== null) this.#alarm.set(this.#soon());
  }

  /** A release has proved healthy, or not: where the setting says so, the next check tells the server soon. */
  outcomeKnown(): void {
    const { settings, random } = this.#options;
    const left = this.#alarm.left();
    if (left === null || !settings().ota.report) return;
    this.#alarm.set(Math.min(left, Math.max(outcomeSeconds * random(), retryLeft(this.#options))));
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
    if (isElsewhere) this.#running?.abort(superseded());
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

  /** Begins what has waited for a trusted clock; `hasWaited` is called where a check could begin. */
  clockTrusted(hasWaited: () => boolean): void {
    const { record, settings } = this.#options;
    const { server } = settings().ota;
    if (this.#running || this.#isStopped || this.#plan.isHeldUp() || server === "" || !hasWaited()) return;
    record.note((present) => ({ ...present, retry: null }), soonSeconds);
    void this.#begin({ url: server, isServer: true });
  }

  async settled(): Promise<void> {
    while (this.#running) await this.#running.done;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#alarm.clear();
    this.#running?.abort(shuttingDown());
    await this.settled();
    keepRetry(this.#options);
  }

  /** Throws `rate_limited` while a check of something else is under way. */
  #isJoined(source: CheckSource): boolean {
    if (this.#running === null) return false;
    if (this.#running.source.url === source.url) return true;
    throw heldUpBy("Another repository is being read");
  }

  /** Settles when it has ended; true: it was not aborted. `wanted` is as in `CheckRun`. */
  #begin(
    source: CheckSource,
    wanted: ReadonlySet<UpdateKind> = new Set(),
    isForApplying = false,
  ): Promise<boolean> {
    const id = `chk_${randomBytes(16).toString("hex")}`;
    const controller = new AbortController();
    const { signal } = controller;
    this.#begunAt = this.#options.uptime();
    this.#plan.progress.report({ ...idle, phase: "checking" });
    const onFetching = (): void => {
      this.#isFetching = true;
    };
    const done = this.#plan.run({ id, source, signal, wanted, onFetching });
    const ended = done.then(
      (seconds) => this.#onEnd(seconds),
      (error: unknown) => this.#onEnd(this.#waitAfter(error, signal)),
    );
    const abort = (reason: StewardError): void => controller.abort(reason);
    this.#running = { id, source, isForApplying, done: ended, abort };
    return ended.then(() => !signal.aborted);
  }

  /** A deliberate abort is not recorded. An unexpected error is reported as an event, and the checks go on. */
  #waitAfter(error: unknown, { aborted }: AbortSignal): number {
    if (aborted) return this.#soon();
    this.#options.notify("update.check_failed", { code: "internal_error", detail: messageOf(error) });
    return this.#basis.intervalSeconds;
  }

  #onEnd(seconds: number): void {
    const ended = this.#running;
    this.#running = null;
    this.#isFetching = false;
    if (!this.#isStopped && this.#isStarted && ended?.source.isServer && this.#basis.isEnabled) {
      const isWaitOver =
        this.#options.record.read().last_check?.outcome === "waiting_for_clock" &&
        this.#options.isClockTrusted();
      this.#alarm.set(isWaitOver ? this.#soon() : seconds);
    }
    this.#plan.onEnd(ended?.isForApplying ?? false);
  }

  #onDue(): void {
    const { ota } = this.#options.settings();
    if (this.#isStopped || !ota.enabled || ota.server === "") return;
    // The check in progress sets the alarm when it ends; while settings block updates there is nothing to check for.
    if (this.#running || this.#plan.isHeldUp()) this.#alarm.set(busySeconds);
    else if (settingsBlock(this.#options) !== null) this.#alarm.set(this.#basis.intervalSeconds);
    else void this.#begin({ url: ota.server, isServer: true });
  }

  /** Seconds to an early check, which is not before the server may be asked again. */
  #soon(): number {
    return Math.max(soonSeconds * this.#options.random(), retryLeft(this.#options));
  }

  async #supersede(): Promise<void> {
    const running = this.#running;
    running?.abort(superseded());
    await running?.done;
  }
}

/** The settings that the schedule depends on. */
type Basis = ReturnType<typeof basisOf>;

/** As the settings are now. */
function basisOf({ settings, checkIntervalSeconds }: UpdaterOptions) {
  const { enabled, server, channel } = settings().ota;
  return { isEnabled: enabled, server, channel, intervalSeconds: checkIntervalSeconds() };
}

/** Seconds that are left before the server may be asked again. */
function retryLeft({ record, bootId, uptime }: UpdaterOptions): number {
  return leftOf(record.read().retry, bootId, uptime());
}

/** Seconds within which the rest of the wait is on the disk; closing the document writes it in any case. */
const keepSeconds = 60;

/** Stores the rest of the wait, so that it continues after a reboot. */
function keepRetry(options: UpdaterOptions): void {
  const { record, bootId, uptime } = options;
  if (record.read().retry === null) return;
  const left = retryLeft(options);
  const retry = left > 0 ? { boot_id: bootId, uptime: uptime(), left } : null;
  record.note((present) => ({ ...present, retry }), keepSeconds);
}
