import type { StewardError } from "../../contract/errors.ts";
import type { UpdateKind } from "../../releases/release.ts";
import { idle, type Progress } from "../status/progress.ts";
import type { UpdaterOptions } from "../updater-options.ts";
import { type Alarm, createAlarm } from "./alarm.ts";
import type { CheckSource } from "./check-outcome.ts";
import {
  handingOver,
  leastSecondsBetweenChecks,
  otherRepository,
  shuttingDown,
  superseded,
  tooSoon,
} from "./check-refusals.ts";
import type { Flight } from "./check-run.ts";
import { firstCheckIn, nextCheckIn } from "./schedule.ts";
import { type Basis, basisOf, keepRetry, retryLeft } from "./schedule-basis.ts";
import { settingsBlock } from "./settings-block.ts";

/** Checks with what follows from them, one at a time, when they are due and when somebody asks. */
export interface Flights {
  isUnderWay(): boolean;
  /** Seconds to the next one by itself; null: none is planned. */
  left(): number | null;
  /** Begins one, or joins the one that runs. Throws `rate_limited`, and what `require` throws. */
  check(source: CheckSource): Promise<void>;
  /** Throws `rate_limited` while one is under way that reads another repository. */
  requireJoinable(source: CheckSource): void;
  /**
   * One for what is to be applied, in the place of the one that runs; settles when it has ended. False: settings or
   * trust of another kind have ended it.
   */
  flyFor(kinds: ReadonlySet<UpdateKind>, source: CheckSource): Promise<boolean>;
  /** Ends one that is fetching. */
  dropFetching(): Promise<void>;
  /** There is a root of trust now, and there was none. */
  rootInstalled(): void;
  settingsChanged(): void;
  /** What waited for that goes on; `hasWaited` is asked where something could begin. */
  clockTrusted(hasWaited: () => boolean): void;
  settled(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

export interface FlightsPlan {
  readonly options: UpdaterOptions;
  readonly progress: Progress;
  /** Performs one; gives back the seconds to the next. */
  readonly perform: (flight: Flight) => Promise<number>;
  /** Throws where there is no usable root of trust. */
  readonly require: () => Promise<void>;
  /** Root's side is reading what a check would write. */
  readonly isHeldUp: () => boolean;
  /** Called behind each; `isForApplying`: it was for what is to be applied. */
  readonly onEnd: (isForApplying: boolean) => void;
}

/** Seconds within which a change of the settings leads to a check: a fleet tool changes all devices at once. */
const soonSeconds = 60;

/** Seconds after which a check that came due during another one comes due again. */
const busySeconds = 300;

interface Flying {
  readonly source: CheckSource;
  readonly isForApplying: boolean;
  readonly abort: (reason: StewardError) => void;
  readonly done: Promise<void>;
}

export function createFlights(plan: FlightsPlan): Flights {
  return new OneAtATime(plan);
}

const nobodyAsked: ReadonlySet<UpdateKind> = new Set();

class OneAtATime implements Flights {
  readonly #plan: FlightsPlan;
  readonly #options: UpdaterOptions;
  readonly #alarm: Alarm;
  #flying: Flying | null = null;
  #isFetching = false;
  #begunAt = Number.NEGATIVE_INFINITY;
  #isStarted = false;
  #isStopped = false;
  #basis: Basis;

  constructor(plan: FlightsPlan) {
    this.#plan = plan;
    this.#options = plan.options;
    this.#alarm = createAlarm(plan.options, () => this.#onDue());
    this.#basis = basisOf(plan.options);
  }

  isUnderWay(): boolean {
    return this.#flying !== null;
  }

  left(): number | null {
    return this.#alarm.left();
  }

  async check(source: CheckSource): Promise<void> {
    // What somebody brings goes before what is fetched over a slow line, and that goes on afterwards from where it was.
    if (this.#isFetching && !source.isServer && !this.#flying?.isForApplying) await this.#supersede();
    if (this.#isJoined(source)) return;
    if (this.#plan.isHeldUp()) throw handingOver();
    const seconds = this.#begunAt + leastSecondsBetweenChecks - this.#options.uptime();
    if (seconds > 0) throw tooSoon(seconds);
    await this.#plan.require();
    if (this.#isStopped) throw shuttingDown();
    if (this.#plan.isHeldUp()) throw handingOver();
    if (!this.#isJoined(source)) void this.#begin(source, nobodyAsked);
  }

  requireJoinable(source: CheckSource): void {
    // A slow line can be taken up again later; a directory that somebody brought may be gone by then.
    if (!(this.#isFetching && this.#flying?.source.isServer)) this.#isJoined(source);
  }

  async flyFor(kinds: ReadonlySet<UpdateKind>, source: CheckSource): Promise<boolean> {
    // A fresh look, however young the last one is: whoever applies something has the right to ask, and asks seldom.
    while (this.#flying) await this.#supersede();
    if (this.#isStopped) return false;
    return this.#begin(source, kinds);
  }

  async dropFetching(): Promise<void> {
    if (this.#isFetching) await this.#supersede();
  }

  rootInstalled(): void {
    if (this.#alarm.left() !== null) this.#alarm.set(this.#soon());
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

  clockTrusted(hasWaited: () => boolean): void {
    const { record, settings } = this.#options;
    const { server } = settings().ota;
    if (this.#flying || this.#isStopped || this.#plan.isHeldUp() || server === "" || !hasWaited()) return;
    record.note((present) => ({ ...present, retry: null }), soonSeconds);
    void this.#begin({ url: server, isServer: true }, nobodyAsked);
  }

  async settled(): Promise<void> {
    while (this.#flying) await this.#flying.done;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#alarm.clear();
    this.#flying?.abort(shuttingDown());
    await this.settled();
    keepRetry(this.#options);
  }

  /** Throws `rate_limited` while a check of something else is under way. */
  #isJoined(source: CheckSource): boolean {
    if (this.#flying === null) return false;
    if (this.#flying.source.url === source.url) return true;
    throw otherRepository();
  }

  /** Settles when it has ended; true: by itself. */
  #begin(source: CheckSource, wanted: ReadonlySet<UpdateKind>): Promise<boolean> {
    const controller = new AbortController();
    const { signal } = controller;
    this.#begunAt = this.#options.uptime();
    this.#plan.progress.report({ ...idle, phase: "checking" });
    const onFetching = (): void => {
      this.#isFetching = true;
    };
    const flown = this.#plan.perform({ source, signal, wanted, onFetching });
    const ended = flown.then(
      (seconds) => this.#onEnd(seconds),
      (error: unknown) => this.#onEnd(this.#waitAfter(error, signal)),
    );
    const abort = (reason: StewardError): void => controller.abort(reason);
    this.#flying = { source, isForApplying: wanted.size > 0, done: ended, abort };
    return ended.then(() => !signal.aborted);
  }

  /** An end that was wished for leaves nothing behind; what nobody thought of is told, and does not end the checks. */
  #waitAfter(error: unknown, { aborted }: AbortSignal): number {
    if (aborted) return this.#soon();
    const detail = error instanceof Error ? error.message : String(error);
    this.#options.notify("update.check_failed", { code: "internal_error", detail });
    return this.#basis.intervalSeconds;
  }

  #onEnd(seconds: number): void {
    const flown = this.#flying;
    this.#flying = null;
    this.#isFetching = false;
    if (!this.#isStopped && this.#isStarted && flown?.source.isServer && this.#basis.isEnabled) {
      const isWaitOver =
        this.#options.record.read().last_check?.outcome === "waiting_for_clock" &&
        this.#options.isClockTrusted();
      this.#alarm.set(isWaitOver ? this.#soon() : seconds);
    }
    this.#plan.onEnd(flown?.isForApplying ?? false);
  }

  #onDue(): void {
    const { ota } = this.#options.settings();
    if (this.#isStopped || !ota.enabled || ota.server === "") return;
    // Whoever is at it sets the alarm anew when it ends; with settings that block it there is nothing to look for.
    if (this.#flying || this.#plan.isHeldUp()) this.#alarm.set(busySeconds);
    else if (settingsBlock(this.#options) !== null) this.#alarm.set(this.#basis.intervalSeconds);
    else void this.#begin({ url: ota.server, isServer: true }, nobodyAsked);
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
}
