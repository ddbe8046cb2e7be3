import { timeServer } from "../../contract/clock/time-server.ts";
import { type ExternalDaemon, trustedReport } from "../daemons/external-daemon.ts";
import type { PollRequest } from "../ntp/source.ts";
import { endBackOff, isBackingOff } from "../state/external-change.ts";
import {
  afterExternalChange,
  afterOwnRound,
  afterReport,
  enterMode,
  forgotten,
  initialState,
  type LoopState,
} from "../state/loop-state.ts";
import { type ClockMode, isSameMode, resolveMode } from "../state/mode.ts";
import {
  disturbedRound,
  joinRound,
  noMeasurement,
  type Round,
  type RoundOptions,
  roundWithoutServers,
} from "../state/round.ts";
import { burst, firstBurst, nextRound, pollSecondsOf } from "../state/round-schedule.ts";
import { type SyncStatus, syncStatusOf } from "../state/sync-state.ts";
import { restingRefusal } from "../status/refusals.ts";
import type { ClockEvent, ClockOptions, ClockParts } from "./clock-parts.ts";
import { type Effect, effectsOf } from "./effects.ts";
import { concludeRound, confirmProvisional } from "./measurement.ts";
import { performEffect } from "./perform-effect.ts";
import { Timetable } from "./timetable.ts";

export type RoundRequest = Pick<RoundOptions, "isStepAllowed" | "isForced">;

type AskedRound = RoundOptions & PollRequest;

interface RunningRound {
  readonly options: AskedRound;
  readonly done: Promise<void>;
  /** Its settings have changed since, or its outcome is doubted: another follows at once. */
  isOutdated: boolean;
}

const unasked = { isRequested: false, isStepAllowed: true, isForced: false, isAsked: false };

/** Seconds after the last check from which on the host has slept meanwhile: twice the usual, and a few. */
const sleptSeconds = 64;

/** Seconds for which another requested round is refused after one that succeeded. */
const restSeconds = 10;

/** The one loop of the clock. It owns the state; pure functions decide, and it performs what follows. */
export class ClockLoop {
  readonly #options: ClockOptions;
  readonly #parts: ClockParts;
  readonly #timetable: Timetable;
  readonly #listeners = new Set<(event: ClockEvent) => void>();
  #state: LoopState;
  #running: RunningRound | null = null;
  /** Rounds of the start's burst that are still to come. */
  #burstLeft = 0;
  #checkedAt = Number.POSITIVE_INFINITY;
  #network: string;
  /** No server has been asked on this network yet. */
  #isNetworkNew = false;
  #requestedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ClockOptions, parts: ClockParts) {
    const { driver, record, bootId, timers } = options;
    this.#options = options;
    this.#parts = parts;
    this.#network = options.readNetwork();
    const wasRightAtStart =
      record.read().synchronised_boot_id === bootId || driver.kernel()?.isSynchronised === true;
    this.#state = initialState({ blocker: driver.blocker, wasRightAtStart });
    this.#timetable = new Timetable({
      timers,
      onRound: (exchanges) => this.#begin(exchanges),
      onCheck: () => this.#checkMode().catch(() => undefined),
    });
  }

  start(): void {
    this.#timetable.start();
    // At once: a clock below the floor is stepped there before anything reads it.
    void this.settle().then(
      () => this.check(),
      // The first round resolves the mode again.
      () => undefined,
    );
    // The kernel may set it by a clock that is synchronised, every eleven minutes.
    void this.#options.readRealTimeClock().then((time) => {
      const atMonotonic = this.#now();
      if (time !== null) this.#state = { ...this.#state, batteryAtStart: { time, atMonotonic } };
    });
    this.#burstLeft = firstBurst.rounds;
    this.#timetable.roundIn(this.#options.random() * firstBurst.delaySeconds, 1);
  }

  stop(): void {
    this.#timetable.stop();
    // The round is not awaited: that would take seconds, and its timers do not keep the process alive.
    if (this.#running) this.#running.options.isAbandoned = true;
  }

  /** The state as it is now; another object after each change. */
  state(): LoopState {
    return this.#state;
  }

  syncStatus(): SyncStatus {
    const { mode, sync, report } = this.#state;
    const [monotonicSeconds, mostDistanceSeconds] = [this.#now(), this.#options.mostDistanceSeconds()];
    return syncStatusOf(mode, sync, report, {
      ...{ monotonicSeconds, mostDistanceSeconds, pollSeconds: this.pollSeconds() },
    });
  }

  /** Seconds between two rounds at present. */
  pollSeconds(): number {
    return pollSecondsOf(this.#state.mode, this.#state.poll);
  }

  /** A round soon, or right after the one that runs. */
  nudge(): void {
    // The running round has read the settings already.
    if (this.#running) this.#running.isOutdated = true;
    else this.#timetable.roundIn(0, burst);
  }

  onEvent(listener: (event: ClockEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The next state, and what follows from it. */
  #commit(next: LoopState): void {
    const before = this.#state;
    this.#state = next;
    for (const effect of effectsOf(before, next)) this.#perform(effect);
    // An effect may have stepped the clock.
    const lastStep = this.#parts.steering.lastStep();
    if (lastStep !== this.#state.lastStep) this.#commit({ ...this.#state, lastStep });
  }

  #perform(effect: Effect): void {
    switch (effect.kind) {
      case "tell":
        this.#tell({ type: effect.type, details: effect.details });
        break;
      case "tell_checked":
        this.#tell({ type: "checked" });
        break;
      case "measure_soon":
        this.nudge();
        break;
      case "read_rtc":
        void this.#options.readRealTimeClock().then((realTimeClock) => {
          this.#state = { ...this.#state, realTimeClock };
        });
        break;
      default:
        performEffect(this.#options, this.#parts, effect);
    }
  }

  #tell(event: ClockEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  #now(): number {
    return this.#parts.steering.read().monotonicSeconds;
  }

  /** `isRequested`: a correction was requested, which ends a back-off. */
  async #resolve(isRequested: boolean): Promise<ClockMode> {
    const { driver, services, settings } = this.#options;
    const daemon = await services.activeDaemon();
    if (isRequested) {
      this.#commit({ ...this.#state, backOff: endBackOff(this.#state.backOff, this.#now()) });
    }
    const backingOff = isBackingOff(this.#state.backOff, this.#now());
    return resolveMode(settings().mode, { daemon, blocker: driver.blocker, isBackingOff: backingOff });
  }

  /** The mode by the present settings; a round under way goes on in its own. */
  async settle(): Promise<ClockMode> {
    const mode = await this.#resolve(false);
    const isFree = this.#state.mode === null || this.#running === null;
    if (isFree) this.#enter(mode);
    return mode;
  }

  /** A person sets the clock: the agent steers it again at once, also where another program has moved it. */
  async endBackOff(): Promise<ClockMode> {
    const mode = await this.#resolve(true);
    this.#enter(mode);
    return mode;
  }

  /** False: it is the present mode. */
  #enter(mode: ClockMode): boolean {
    if (isSameMode(this.#state.mode, mode)) return false;
    const hostOffsetSeconds = this.#parts.steering.hostOffsetSeconds();
    this.#commit(enterMode(this.#state, mode, { hostOffsetSeconds, monotonicSeconds: this.#now() }));
    return true;
  }

  /** All that was measured means nothing any more; `setByHandAt`: monotonic seconds at which an administrator set the clock. */
  forget(setByHandAt: number | null): void {
    this.#requestedAt = Number.NEGATIVE_INFINITY;
    this.#commit(forgotten(this.#state, setByHandAt));
  }

  /** True where the steered clock was changed from outside; then the agent backs off. */
  #noticeExternalChange(): boolean {
    if (this.#state.mode?.kind !== "discipline") return false;
    const { steering, pool } = this.#parts;
    const change = steering.externalChange(pool.last()?.leap ?? "none");
    if (change) this.#commit(afterExternalChange(this.#state, change, this.#now()));
    else steering.endTrim();
    return change !== null;
  }

  /** Checks the clock, every half minute and around each round, and does what follows. */
  check(): void {
    const isDisturbed = this.#noticeExternalChange();
    const { steering, floor, pool } = this.#parts;
    this.#commit({
      ...this.#state,
      check: {
        isDisturbed,
        syncStatus: this.syncStatus(),
        isBelowFloor: this.#options.driver.read().wallSeconds < floor.atSeconds(),
        pendingSeconds: Math.abs(steering.believed()?.offsetSeconds ?? 0),
        leap: pool.last()?.leap ?? "none",
      },
    });
  }

  async #checkMode(): Promise<void> {
    const mode = await this.#resolve(false);
    if (this.#running) return;
    const isOther = this.#enter(mode);
    this.check();
    const now = this.#now();
    const sinceSeconds = now - this.#checkedAt;
    this.#checkedAt = now;
    const network = this.#options.readNetwork();
    const isMoved = network !== this.#network;
    this.#network = network;
    this.#isNetworkNew ||= isMoved;
    if (isOther || isMoved || sinceSeconds > sleptSeconds) this.nudge();
  }

  /** A round now, or the one that runs if its settings still hold. Throws `rate_limited`, and what an external daemon throws. */
  async request(request: RoundRequest): Promise<void> {
    const { isStepAllowed, isForced } = request;
    const running = this.#running;
    if (running) {
      if (!running.isOutdated) joinRound(running.options, request);
      await running.done;
      if (running.isOutdated || !this.#isAnswer(running.options, request)) return this.request(request);
    } else {
      const sinceSeconds = this.#now() - this.#requestedAt;
      if (sinceSeconds < restSeconds && !isForced) throw restingRefusal(restSeconds - sinceSeconds);
      const own = this.#round({ burst, isRequested: isStepAllowed, isStepAllowed, isForced, isAsked: true });
      await own.done;
      if (own.isOutdated) return;
    }
    const { mode, report, sync } = this.#state;
    const isReported = mode?.kind === "delegate" && report?.isSynchronised === true;
    if (isReported || sync.verdict?.kind === "agreed") this.#requestedAt = this.#now();
  }

  /** True where the joined round is what was requested, and not a single exchange or a reading of a daemon. */
  #isAnswer({ burst: exchanges, isAsked }: AskedRound, { isStepAllowed }: RoundRequest): boolean {
    const { mode, sync } = this.#state;
    // It only measured, as the agent was backing off; a requested correction ends that.
    if (isStepAllowed && mode?.kind === "observe" && mode.because === "external_change") return false;
    return (isAsked && exchanges >= burst) || sync.verdict?.kind === "agreed";
  }

  #begin(exchanges: number): void {
    if (this.#running) return;
    void this.#round({ ...unasked, burst: exchanges }).done.catch(() => undefined);
  }

  #round(options: AskedRound): RunningRound {
    const done = this.#measure(options).finally(() => {
      this.#running = null;
      if (options.isAbandoned) return;
      // Before the check, which may request the next round at once.
      this.#schedule(running.isOutdated);
      this.check();
    });
    const running: RunningRound = { options, done, isOutdated: false };
    this.#running = running;
    return running;
  }

  async #measure(options: AskedRound, isAgain = false): Promise<void> {
    // An external change is noticed before our own covers it.
    this.check();
    const mode = await this.#resolve(options.isAsked && options.isStepAllowed);
    this.#enter(mode);
    switch (mode.kind) {
      case "manual":
        return;
      case "delegate":
        return this.#askDaemon(this.#options.daemonOf(mode.daemon), options);
      case "discipline":
      case "observe":
        return this.#measureOurselves(options, isAgain);
    }
  }

  async #measureOurselves(options: AskedRound, isAgain: boolean): Promise<void> {
    const round = await this.#askServers(options);
    if (options.isAbandoned) return;
    // Once more, as the external change has changed the mode.
    if (round.verdict.kind === "disturbed" && !isAgain) return this.#measure(options, true);
    const { steering, pool } = this.#parts;
    const now = { ...steering.read(), believed: steering.believed() };
    const peer = pool.last()?.peer ?? null;
    this.#commit(afterOwnRound(this.#state, round, { ...now, peer, isInBurst: this.#burstLeft > 1 }));
  }

  async #askServers(options: AskedRound): Promise<Round> {
    const { pool, counters } = this.#parts;
    const { record, bootId, panicSeconds } = this.#options;
    const settings = this.#options.settings();
    counters.add("rounds");
    pool.configure(settings.servers.map(timeServer), settings.authenticated_only);
    if (settings.servers.length === 0) return roundWithoutServers;
    const isAsked = options.isAsked || this.#isNetworkNew;
    this.#isNetworkNew = false;
    await pool.poll({ ...options, isAsked });
    const refusal = await confirmProvisional(this.#parts, options, settings);
    // Nothing follows from an abandoned round, so what it says does not matter.
    if (options.isAbandoned || this.#noticeExternalChange()) return disturbedRound;
    if (refusal) return { ...noMeasurement, isAnswered: true, verdict: refusal };
    return concludeRound(this.#parts, options, {
      settings,
      panicSeconds: panicSeconds(),
      pollSeconds: this.pollSeconds(),
      knownSeconds: this.syncStatus().trust === "none" ? null : this.syncStatus().uncertaintySeconds,
      isFirstOfBoot: record.read().synchronised_boot_id !== bootId,
    });
  }

  async #askDaemon(daemon: ExternalDaemon, options: AskedRound): Promise<void> {
    const { isAsked, isStepAllowed, isForced } = options;
    try {
      if (isAsked) await (isStepAllowed ? daemon.sync(isForced) : daemon.reselect());
    } finally {
      const { authenticated_only } = this.#options.settings();
      const report = trustedReport(await daemon.read(), authenticated_only);
      if (!options.isAbandoned) this.#commit(afterReport(this.#state, report, this.#parts.steering.read()));
    }
  }

  #schedule(isOutdated: boolean): void {
    const { mode, poll } = this.#state;
    const random = this.#options.random();
    this.#burstLeft = Math.max(0, this.#burstLeft - 1);
    const next = nextRound(mode, poll, random, this.#burstLeft, isOutdated);
    if (next) this.#timetable.roundIn(next.seconds, next.exchanges);
    else this.#timetable.noRound();
  }
}
