import type { ClockInShort } from "../../contract/clock/clock-in-short.ts";
import { isSynchronised } from "../../contract/clock/clock-word.ts";
import type { TimeServer } from "../../contract/clock/time-server.ts";
import type { Finding, TimeProbe, TimeSync } from "../../contract/types.ts";
import { conflictOf } from "../state/external-change.ts";
import type { LoopState } from "../state/loop-state.ts";
import { daemonRefusal, refusalOf, requireMayMeasure, requireMaySet } from "../status/refusals.ts";
import { createSummary, type ShortFacts, timeSyncInShort, timeSyncStatus } from "../status/time-status.ts";
import { batteryTroubleOf, troubleOf } from "../status/trouble.ts";
import type { ClockState } from "../trust/clock-state.ts";
import { ClockLoop, type RoundRequest } from "./clock-loop.ts";
import { type ClockEvent, type ClockOptions, type ClockParts, createClockParts } from "./clock-parts.ts";

export type Clock = Pick<DeviceClock, keyof DeviceClock>;

/** Seconds for which a reading of the state serves all callers: each request asks several times. */
const freshSeconds = 0.25;

export class DeviceClock {
  readonly #options: ClockOptions;
  readonly #parts: ClockParts;
  readonly #loop: ClockLoop;
  readonly #summaryOf = createSummary();
  #read: { readonly at: number; readonly loop: LoopState; readonly state: ClockState } | null = null;

  constructor(options: ClockOptions) {
    this.#options = options;
    this.#parts = createClockParts(options);
    this.#loop = new ClockLoop(options, this.#parts);
  }

  state(): ClockState {
    const at = this.#options.uptime();
    const loop = this.#loop.state();
    const isOld = !this.#read || this.#read.loop !== loop || at - this.#read.at >= freshSeconds;
    if (!this.#read || isOld) this.#read = { at, loop, state: this.#readState(loop) };
    return this.#read.state;
  }

  #readState({ sync, mode, lastStep }: LoopState): ClockState {
    const syncStatus = this.#loop.syncStatus();
    const { trusted } = this.#parts;
    return {
      trust: syncStatus.trust,
      state: syncStatus.state,
      synchronised: mode === null ? null : isSynchronised(syncStatus),
      // At each reading: the host's clock may be set in between.
      get offsetSeconds() {
        return trusted.seconds();
      },
      lastSyncAt: sync.synced?.at ?? null,
      lastStepSeconds: lastStep?.seconds ?? null,
      lastStepAt: lastStep?.at ?? null,
    };
  }

  status(): TimeSync {
    const [pollSeconds, kernel] = [this.#loop.pollSeconds(), this.#options.driver.kernel()];
    const offered = this.#options.readOfferedServers();
    return timeSyncStatus({ ...this.#parts, ...this.#shortFacts(), pollSeconds, kernel, offered });
  }

  inShort(): ClockInShort {
    return timeSyncInShort(this.#shortFacts());
  }

  #shortFacts(): ShortFacts {
    const { settings, wall } = this.#options;
    const { counters, steering, pool, trusted } = this.#parts;
    return {
      ...{ counters, steering, pool, summaryOf: this.#summaryOf },
      settings: settings(),
      loop: this.#loop.state(),
      syncStatus: this.#loop.syncStatus(),
      hostOffsetSeconds: steering.hostOffsetSeconds(),
      nowMilliseconds: wall() + trusted.seconds() * 1_000,
    };
  }

  /** Polls every source and selects again; never steps. Throws `no_time_source`, `no_majority`, `time_sync_disabled`, `rate_limited`. */
  async reselect(): Promise<TimeSync> {
    return this.#measure({ isStepAllowed: false, isForced: false });
  }

  /** The same, and corrects the clock. Throws also `panic_threshold`, `time_implausible`, `conflict_discipliner`. */
  async sync({ isForced }: { isForced: boolean }): Promise<TimeSync> {
    return this.#measure({ isStepAllowed: true, isForced });
  }

  /** Asks these servers once; changes nothing. Throws `rate_limited` while others are asked, and right after. */
  probe(servers: readonly TimeServer[]): Promise<TimeProbe> {
    return this.#parts.probe(servers, this.#parts.steering.hostOffsetSeconds());
  }

  async #measure(request: RoundRequest): Promise<TimeSync> {
    requireMayMeasure(await this.#loop.settle(), request);
    await this.#loop.request(request);
    const { sync, mode, report } = this.#loop.state();
    const refusal = sync.verdict && refusalOf(sync.verdict);
    if (refusal) throw refusal;
    if (!sync.verdict && this.#loop.syncStatus().trust === "none") throw daemonRefusal(mode, report);
    return this.status();
  }

  /** Sets the clock by hand. Throws `conflict_discipliner`, `time_implausible`. */
  async setTime(time: Date): Promise<TimeSync> {
    const { steering, floor, pool, trusted } = this.#parts;
    const bounds = { floorSeconds: floor.atSeconds(), ceilingSeconds: floor.ceilingSeconds() };
    requireMaySet(time, { mode: await this.#loop.settle(), syncStatus: this.#loop.syncStatus(), ...bounds });
    const mode = await this.#loop.endBackOff();
    // A daemon that has no time itself has nothing that a step could spoil.
    const isDaemons = mode.kind === "delegate" && this.#options.driver.blocker === null;
    steering.take(isDaemons || !steering.isVirtual() ? "host" : "virtual", true);
    const { wallSeconds, monotonicSeconds } = steering.read();
    steering.step(time.getTime() / 1_000 - wallSeconds);
    pool.forget();
    this.#loop.forget(monotonicSeconds);
    trusted.set(steering.hostOffsetSeconds());
    this.#loop.check();
    return this.status();
  }

  /** Forgets the floor but for the build date, and measures again. */
  async resetFloor(): Promise<TimeSync> {
    const { floor, steering, trusted, pool } = this.#parts;
    await floor.reset(steering.read().monotonicSeconds);
    // The clock may be where the floor had put it: nothing is to rely on it.
    pool.forget();
    this.#loop.forget(null);
    trusted.forget();
    steering.take(steering.isVirtual() ? "virtual" : "host", true);
    this.#loop.nudge();
    return this.status();
  }

  /** A time that has certainly passed (docs/design/trusted-time.md, rule 12). */
  floor(): Date {
    return new Date(this.#parts.floor.atSeconds() * 1_000);
  }

  /** The finding that an administrator should know; null when all is well. */
  trouble(): Finding | null {
    const { mode, backOff, sync } = this.#loop.state();
    return troubleOf(conflictOf(mode, backOff), sync) ?? this.#batteryTrouble();
  }

  /** By a clock that is known to be right. */
  #batteryTrouble(): Finding | null {
    const { batteryAtStart } = this.#loop.state();
    if (batteryAtStart === null || !isSynchronised(this.#loop.syncStatus())) return null;
    const elapsed = this.#parts.steering.read().monotonicSeconds - batteryAtStart.atMonotonic;
    const rightMilliseconds = this.#options.wall() + this.#parts.trusted.seconds() * 1_000 - elapsed * 1_000;
    return batteryTroubleOf(batteryAtStart.time, new Date(rightMilliseconds));
  }

  /** Calls the listener for each event from now on; the result unsubscribes it. */
  onEvent(listener: (event: ClockEvent) => void): () => void {
    return this.#loop.onEvent(listener);
  }

  /** Begins to measure on a schedule, after a step to the floor where the clock is below it. */
  start(): void {
    this.#loop.start();
  }

  /** Requests a round soon, because the clock is doubted, or its settings are others. */
  nudge(): void {
    this.#loop.nudge();
  }

  /** Ends the schedule; a running round has no effect any more. */
  stop(): void {
    this.#loop.stop();
  }
}
