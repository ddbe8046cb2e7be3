import type { ClockConflict } from "../../contract/types.ts";
import type { Leap } from "../../host/ports.ts";
import type { ForeignHand } from "../discipline/steering.ts";
import { conflictSentence } from "../status/sentences.ts";
import type { ClockRecord } from "../trust/clock-record.ts";
import type { ClockNotices, ClockOptions, ClockParts } from "./clock-parts.ts";
import { contested, isContested, settled, uncontested } from "./external-change.ts";
import type { OwnRound } from "./measurement.ts";
import { type Way, wayOf } from "./mode.ts";
import type { Synchroniser } from "./synchroniser.ts";
import type { Verdict } from "./verdict.ts";

/** What follows from each round and each look: events, what is kept, whom the clock is taken from and given to. */
export interface Watch {
  /** Whose turn it is. */
  findWay(isRequested: boolean): Promise<Way>;
  onWay(way: Way, before: Way | null): void;
  onRound(way: Way, round: OwnRound | null): void;
  /** Somebody else moved the clock that is ours; we have given way. */
  isDisturbed(): boolean;
  onLook(): void;
  /** What else sets or changed the clock; null: nothing. */
  conflict(): ClockConflict | null;
  /** What most of the agreeing sources say of leap seconds; null: there are none. */
  leap(): Leap | null;
  /** What is known of the battery-backed clock. */
  realTimeClock(): Date | null;
}

/** ppm: an oscillator's error known so well is worth keeping. */
const keptPpm = 5;

/** Seconds within which a new figure of the oscillator is on the disk. */
const keepWithinSeconds = 3_600;

/** Seconds of error from which on the kernel takes a clock for unsynchronised (NTP_PHASE_LIMIT). */
const unknownError = 16;

/** ppm: a change of the oscillator that is worth a write. */
const keptChangePpm = 0.1;

/** Two clocks that are read one after the other seem to differ by less than so many seconds. */
const leastCarriedSeconds = 1e-3;

export function createWatch(
  options: ClockOptions & ClockNotices,
  parts: ClockParts,
  loop: () => Synchroniser,
): Watch {
  return new Watcher(options, parts, loop);
}

class Watcher implements Watch {
  readonly #options: ClockOptions & ClockNotices;
  readonly #parts: ClockParts;
  readonly #loop: () => Synchroniser;
  #contest = uncontested;
  /** What a foreign hand moved the host's clock by, until the clock on paper knows of it (s). */
  #foreignSeconds = 0;
  #peer: string | null = null;
  #verdict: Verdict["kind"] | null = null;
  #rtc: Date | null = null;

  constructor(options: ClockOptions & ClockNotices, parts: ClockParts, loop: () => Synchroniser) {
    this.#options = options;
    this.#parts = parts;
    this.#loop = loop;
  }

  async findWay(isRequested: boolean): Promise<Way> {
    const { driver, services, settings } = this.#options;
    if (isRequested) this.#contest = settled(this.#contest, this.#now());
    const daemon = await services.activeDaemon();
    const isHeld = isContested(this.#contest, this.#now());
    return wayOf(settings().mode, { daemon, hindrance: driver.hindrance, isContested: isHeld });
  }

  onWay(way: Way, before: Way | null): void {
    const { driver } = this.#options;
    const { steering, floor, pool } = this.#parts;
    const isHosts = way.kind === "discipline" || (way.kind === "manual" && driver.hindrance === null);
    // What the host's clock was known to lack it still lacks.
    const lackedSeconds = steering.hostOffsetSeconds() - this.#foreignSeconds;
    steering.take(isHosts ? "host" : "paper", this.#isFresh(way, before));
    pool.forget();
    const isCarried = Math.abs(lackedSeconds) > leastCarriedSeconds && way.kind !== "delegate";
    if (isCarried && steering.isOnPaper()) steering.step(lackedSeconds);
    this.#foreignSeconds = 0;
    if (!isContested(this.#contest, this.#now())) this.#contest = { ...this.#contest, conflict: null };
    if (way.kind === "delegate") return;
    const missing = floor.atSeconds() - steering.read().wallSeconds;
    if (missing > 0) steering.step(missing);
  }

  onRound(way: Way, round: OwnRound | null): void {
    void this.#options.readRealTimeClock().then((time) => {
      this.#rtc = time;
    });
    if (way.kind === "delegate") this.#addReport();
    if (!round) return;
    const { verdict, measurement, hostOffsetSeconds } = round;
    if (verdict.kind === "disturbed") return;
    // What the foreign hand did is in this measurement.
    if (way.kind === "discipline") this.#foreignSeconds = 0;
    if (measurement && hostOffsetSeconds !== null) {
      this.#add(hostOffsetSeconds, measurement.uncertaintySeconds);
    }
    this.#tellChanges(verdict);
    if (verdict.kind === "agreed") this.#keep();
  }

  isDisturbed(): boolean {
    if (this.#loop().way()?.kind !== "discipline") return false;
    const foreign = this.#parts.steering.foreignHand(this.leap() ?? "none");
    if (!foreign) this.#parts.steering.endTrim();
    if (foreign) this.#giveWay(foreign);
    return foreign !== null;
  }

  onLook(): void {
    const isFree = !this.isDisturbed();
    if (isFree && this.#foreignSeconds === 0) this.#vouch();
    this.#parts.floor.look(this.#loop().standing().trust, this.#trueSeconds(), this.#now());
    if (isFree && this.#loop().way()?.kind === "discipline") this.#tellKernel();
    this.#options.onLook();
  }

  conflict(): ClockConflict | null {
    const way = this.#loop().way();
    if (way?.kind !== "observe" || way.because !== "other_daemon") return this.#contest.conflict;
    const facts = {
      code: "other_daemon",
      daemon: way.daemon,
      step_seconds: null,
      frequency_ppm: null,
    } as const;
    return { ...facts, detail: conflictSentence(facts) };
  }

  leap(): Leap | null {
    return this.#parts.pool.last()?.leap ?? null;
  }

  realTimeClock(): Date | null {
    return this.#rtc;
  }

  #now(): number {
    return this.#parts.steering.read().monotonicSeconds;
  }

  #trueSeconds(): number {
    return this.#options.wall() / 1_000 + this.#parts.vouched.offsetSeconds();
  }

  /** Somebody else moved what is ours: we only watch for a while, by the time that was vouched for before. */
  #giveWay(foreign: ForeignHand): void {
    this.#contest = contested(this.#contest, foreign, this.#now());
    if (foreign.kind === "step") this.#foreignSeconds += foreign.seconds;
    this.#parts.counters.add("conflicts");
    this.#parts.pool.forget();
    this.#parts.floor.stepped();
    this.#options.notify("clock.contested", contestedDetails(this.#contest.conflict));
    this.#loop().nudge();
  }

  /** What relies on the clock already must not see it leap unasked. */
  #isFresh(way: Way, before: Way | null): boolean {
    const { driver, record, bootId } = this.#options;
    if (way.kind === "observe") return way.because !== "external_change";
    if (before === null) {
      return record.read().synchronised_boot_id !== bootId && driver.kernel()?.isSynchronised !== true;
    }
    if (before.kind === "delegate") return this.#loop().report()?.isSynchronised !== true;
    return before.kind !== "observe" || before.because !== "external_change";
  }

  /** What sign-in goes by from now on. */
  #vouch(): void {
    const { vouched, steering, floor } = this.#parts;
    const { state, trust } = this.#loop().standing();
    // Its sources contradict it, or were last heard long ago: by what was vouched for last, where there was such a time.
    if (state === "faulty" || state === "freerun") return;
    const isBelowFloor = this.#options.driver.read().wallSeconds < floor.atSeconds();
    // The same until they have been heard.
    if (state === "acquiring" && !isBelowFloor) return;
    const isOurs = this.#loop().way()?.kind !== "delegate";
    if (isOurs && (trust !== "none" || isBelowFloor)) vouched.set(steering.hostOffsetSeconds());
    // The host's clock was taken in hand a moment ago, and nobody has said anything of it yet.
    else if (!isOurs || state !== "acquiring") vouched.forget();
  }

  #tellKernel(): void {
    const { state, uncertaintySeconds } = this.#loop().standing();
    const { synced } = this.#loop().knowledge();
    if (state !== "synchronised" && state !== "holdover" && state !== "freerun" && state !== "faulty") return;
    const isRight = state === "synchronised" || state === "holdover";
    // What a slew has yet to add is an error as well.
    const offset = Math.abs(this.#parts.steering.believed()?.offsetSeconds ?? 0);
    this.#parts.steering.setQuality({
      isSynchronised: isRight,
      maxErrorSeconds: Math.min(unknownError, (uncertaintySeconds ?? unknownError) + offset),
      estErrorSeconds: Math.min(unknownError, synced?.jitterSeconds ?? unknownError),
      leap: isRight ? (this.leap() ?? "none") : "none",
    });
  }

  #addReport(): void {
    const report = this.#loop().report();
    if (report?.offsetSeconds == null) return;
    this.#add(report.offsetSeconds, report.uncertaintySeconds ?? 0);
    this.#tellPeer(report.source?.id ?? null);
  }

  #add(offsetSeconds: number, uncertaintySeconds: number): void {
    this.#parts.history.add({ atMonotonic: this.#now(), offsetSeconds, uncertaintySeconds });
  }

  #tellChanges(verdict: Verdict): void {
    if (verdict.kind === "panic_threshold" && this.#verdict !== "panic_threshold") {
      this.#parts.counters.add("panics");
      this.#options.notify("clock.panicked", { offset_seconds: verdict.seconds });
    }
    this.#verdict = verdict.kind;
    this.#tellPeer(this.#parts.pool.last()?.peer ?? null);
  }

  #tellPeer(peer: string | null): void {
    if (peer === null || peer === this.#peer) return;
    this.#options.notify("clock.source_changed", { from: this.#peer, to: peer });
    this.#peer = peer;
  }

  /** The oscillator's error and the boot, for the next start. */
  #keep(): void {
    const { record, bootId } = this.#options;
    const stored = record.read();
    const believed = this.#parts.steering.believed();
    const isKnown = believed !== null && believed.frequencyDeviationPpm < keptPpm;
    const frequency_ppm = isKnown ? clamped(believed.frequencyPpm) : stored.frequency_ppm;
    const isOther = Math.abs((frequency_ppm ?? 0) - (stored.frequency_ppm ?? 0)) > keptChangePpm;
    if (!isOther && stored.synchronised_boot_id === bootId) return;
    const isFirst = stored.synchronised_boot_id !== bootId;
    const kept = (present: ClockRecord) => ({ ...present, frequency_ppm, synchronised_boot_id: bootId });
    record.note(kept, isFirst ? 0 : keepWithinSeconds);
  }
}

function contestedDetails(conflict: ClockConflict | null): Record<string, string | number | null> {
  if (!conflict) return {};
  const { code, step_seconds, frequency_ppm, detail } = conflict;
  return { code, step_seconds, frequency_ppm, conflict: detail };
}

function clamped(ppm: number): number {
  return Math.max(-500, Math.min(500, ppm));
}
