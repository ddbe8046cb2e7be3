import { StewardError } from "../../contract/errors.ts";
import type { TimeSync, Trouble } from "../../contract/types.ts";
import { refusalOf } from "../status/refusals.ts";
import { daemonTroubleSentence } from "../status/sentences.ts";
import { type StepMade, timeSyncStatus } from "../status/time-status.ts";
import { troubleOf } from "../status/trouble.ts";
import type { ClockState } from "../trust/clock-state.ts";
import {
  type ClockEvent,
  type ClockNotices,
  type ClockOptions,
  type ClockParts,
  createClockParts,
} from "./clock-parts.ts";
import { createWatch, type Watch } from "./effects.ts";
import { isSynchronised } from "./knowledge.ts";
import { createOwnTime, type OwnTime } from "./measurement.ts";
import { checkSetByHand } from "./set-by-hand.ts";
import type { Request } from "./state.ts";
import { createSynchroniser, type Synchroniser } from "./synchroniser.ts";

/** The clock of this device: what is known of it, and who puts it right. */
export interface Clock {
  state(): ClockState;
  status(): TimeSync;
  /** Asks every source and votes, and never steps. Throws `no_time_source`, `no_majority`, `time_sync_disabled`, `rate_limited`. */
  reselect(): Promise<TimeSync>;
  /** The same, and puts the clock right. Throws besides `panic_threshold`, `time_implausible`, `conflict_discipliner`. */
  sync(wish: { isForced: boolean }): Promise<TimeSync>;
  /** Sets the clock by hand. Throws `conflict_discipliner`, `time_implausible`. */
  setTime(time: Date): Promise<TimeSync>;
  /** Forgets the floor but for the build date, and measures anew. */
  resetFloor(): Promise<TimeSync>;
  /** A time that is certainly past. */
  floor(): Date;
  settingsChanged(): void;
  /** What a person should know; null when all is well. */
  trouble(): Trouble | null;
  /** Hears what happens to the clock from now on; the result ends it. */
  onEvent(listener: (event: ClockEvent) => void): () => void;
  /** Begins to measure by itself, after a step to the floor where the clock is below it. */
  start(): void;
  /** A round soon, for whoever doubts the clock. */
  nudge(): void;
  stop(): void;
}

/** Seconds for which a look at the clock serves all who ask: each request asks several times. */
const freshSeconds = 0.25;

export function openClock(options: ClockOptions): Clock {
  return new ClockRoom(options);
}

class ClockRoom implements Clock {
  readonly #options: ClockOptions & ClockNotices;
  readonly #listeners = new Set<(event: ClockEvent) => void>();
  readonly #parts: ClockParts;
  readonly #watch: Watch;
  readonly #loop: Synchroniser;
  #seen: { readonly at: number; readonly state: ClockState } | null = null;
  #lastStep: StepMade | null = null;

  constructor(options: ClockOptions) {
    this.#options = {
      ...options,
      notify: (type, details) => this.#tell({ type, details }),
      onLook: () => this.#tell({ type: "checked" }),
    };
    this.#parts = createClockParts(options, (seconds) => this.#stepped(seconds));
    this.#watch = createWatch(this.#options, this.#parts, () => this.#loop);
    this.#loop = createSynchroniser({
      ...this.#parts,
      timers: options.timers,
      random: options.random,
      delegateOf: options.delegateOf,
      ownTime: this.#ownTime(),
      findWay: (isRequested) => this.#watch.findWay(isRequested),
      onRound: (way, round) => this.#watch.onRound(way, round),
      onLook: () => this.#onLook(),
      onWay: (way, before) => this.#watch.onWay(way, before),
    });
  }

  state(): ClockState {
    const at = this.#options.uptime();
    if (!this.#seen || at - this.#seen.at >= freshSeconds) this.#seen = { at, state: this.#look() };
    return this.#seen.state;
  }

  #look(): ClockState {
    const { synced } = this.#loop.knowledge();
    const standing = this.#loop.standing();
    const { vouched } = this.#parts;
    return {
      trust: standing.trust,
      state: standing.state,
      synchronised: this.#loop.way() === null ? null : isSynchronised(standing),
      // At each look at it: somebody may set the host's clock in between.
      get offsetSeconds() {
        return vouched.offsetSeconds();
      },
      lastSyncAt: synced?.at ?? null,
      lastStepSeconds: this.#lastStep?.seconds ?? null,
      lastStepAt: this.#lastStep?.at ?? null,
    };
  }

  status(): TimeSync {
    const { settings, wall, driver } = this.#options;
    const nowMilliseconds = wall() + this.#parts.vouched.offsetSeconds() * 1_000;
    return timeSyncStatus({
      ...this.#parts,
      settings: settings(),
      loop: this.#loop,
      watch: this.#watch,
      kernel: driver.kernel(),
      hindrance: driver.hindrance,
      lastStep: this.#lastStep,
      nowMilliseconds,
    });
  }

  async reselect(): Promise<TimeSync> {
    return this.#request({ isStepAllowed: false, isForced: false });
  }

  async sync({ isForced }: { isForced: boolean }): Promise<TimeSync> {
    return this.#request({ isStepAllowed: true, isForced });
  }

  async setTime(time: Date): Promise<TimeSync> {
    const { steering, floor, vouched, pool } = this.#parts;
    const way = await this.#loop.settle();
    const bounds = { floorSeconds: floor.atSeconds(), ceilingSeconds: floor.ceilingSeconds() };
    checkSetByHand(time, { way, standing: this.#loop.standing(), ...bounds });
    // A daemon that has no time itself has nothing that a step could spoil.
    const isHosts =
      !steering.isOnPaper() || (way.kind === "delegate" && this.#options.driver.hindrance === null);
    steering.take(isHosts ? "host" : "paper", true);
    const { wallSeconds, monotonicSeconds } = steering.read();
    steering.step(time.getTime() / 1_000 - wallSeconds);
    pool.forget();
    this.#loop.forget(monotonicSeconds);
    vouched.set(steering.hostOffsetSeconds());
    this.#onLook();
    return this.status();
  }

  async resetFloor(): Promise<TimeSync> {
    const { floor, steering, vouched, pool } = this.#parts;
    await floor.reset(steering.read().monotonicSeconds);
    // The clock may stand where the floor had put it: nothing is to rely on it.
    pool.forget();
    this.#loop.forget(null);
    this.#seen = null;
    vouched.forget();
    steering.take(steering.isOnPaper() ? "paper" : "host", true);
    this.#loop.nudge();
    return this.status();
  }

  async #request(wish: Request): Promise<TimeSync> {
    const way = await this.#loop.settle();
    if (way.kind === "manual") {
      throw new StewardError(
        "time_sync_disabled",
        "time.mode is manual: nobody is asked for the time. Set it with `steward time set TIME`, or choose another mode.",
      );
    }
    if (way.kind === "observe" && way.because === "other_daemon" && wish.isStepAllowed) {
      throw new StewardError(
        "conflict_discipliner",
        `${way.daemon} sets this clock, and time.mode is discipline. Stop one of the two, or set time.mode to auto.`,
      );
    }
    await this.#loop.request(wish);
    const refusal = this.#refusal();
    if (refusal) throw refusal;
    return this.status();
  }

  #refusal(): StewardError | null {
    const { verdict } = this.#loop.knowledge();
    if (verdict) return refusalOf(verdict);
    if (this.#loop.standing().trust !== "none") return null;
    const way = this.#loop.way();
    const trouble = this.#loop.report()?.trouble;
    const why =
      way?.kind === "delegate" && trouble
        ? daemonTroubleSentence(way.daemon, trouble)
        : "It has no source that it can use.";
    return new StewardError("no_time_source", `The time daemon does not know the time. ${why}`);
  }

  #onLook(): void {
    this.#seen = null;
    this.#watch.onLook();
  }

  #stepped(seconds: number): void {
    this.#seen = null;
    const { steering, floor } = this.#parts;
    this.#lastStep = {
      at: new Date(steering.read().wallSeconds * 1_000),
      seconds,
      isOfHost: !steering.isOnPaper(),
    };
    floor.stepped();
    if (this.#lastStep.isOfHost) this.#options.notify("clock.stepped", { seconds });
  }

  #ownTime(): OwnTime {
    const { settings, panicSeconds, askSecondOpinion, notify } = this.#options;
    const { floor, steering } = this.#parts;
    return createOwnTime({
      ...this.#parts,
      settings,
      panicSeconds,
      askSecondOpinion: askSecondOpinion(steering),
      pollSeconds: () => this.#loop.pollSeconds(),
      isDisturbed: () => this.#watch.isDisturbed(),
      bounds: () => ({ floorSeconds: floor.atSeconds(), ceilingSeconds: floor.ceilingSeconds() }),
      onContradiction: (source, offset_seconds) => notify("clock.contradicted", { source, offset_seconds }),
    });
  }

  floor(): Date {
    return new Date(this.#parts.floor.atSeconds() * 1_000);
  }

  settingsChanged(): void {
    this.#loop.nudge();
  }

  trouble(): Trouble | null {
    return troubleOf(this.#watch.conflict(), this.#loop.knowledge().verdict);
  }

  onEvent(listener: (event: ClockEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(event: ClockEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  start(): void {
    this.#loop.start();
  }

  nudge(): void {
    this.#loop.nudge();
  }

  stop(): void {
    this.#loop.stop();
  }
}
