import type { Delegate, DelegateReport } from "../daemons/external-daemon.ts";
import { firstPoll, type PollState } from "../ntp/poll-control.ts";
import { restingRefusal } from "../status/refusals.ts";
import { afterRound, type Knowledge, nothingKnown, type Standing, standingOf } from "./knowledge.ts";
import { joinRound, type OwnRound, type RoundWish } from "./measurement.ts";
import { isSameWay, type Way } from "./mode.ts";
import { pollAfterRound } from "./poll-after-round.ts";
import { burst, firstBurst, nextRound, pollSecondsOf } from "./round-schedule.ts";
import type { Flight, Request, SynchroniserOptions } from "./state.ts";
import { createTimetable, type Timetable } from "./timetable.ts";

/** The one loop of the clock: it finds out whose turn it is, measures, and has done what the deciders say. */
export interface Synchroniser {
  /** Begins to measure by itself. */
  start(): void;
  /** Finds out whose turn it is, where nobody has yet. */
  settle(): Promise<Way>;
  /** A round now, or the one that runs if its settings still hold. Throws `rate_limited`, and what a daemon's delegate throws. */
  request(wish: Request): Promise<void>;
  /** A round soon, or right after the one that runs: the settings are other ones, or somebody doubts the clock. */
  nudge(): void;
  /** Everything that was learnt up to now means nothing: a person set the clock. */
  forget(setByHandAt: number | null): void;
  knowledge(): Knowledge;
  standing(): Standing;
  /** What the daemon said last; null: none was asked. */
  report(): DelegateReport | null;
  /** Monotonic seconds of the last report that knew the time; null: there was none. */
  reportedAt(): number | null;
  /** null: not known yet. */
  way(): Way | null;
  /** Seconds between two rounds at present. */
  pollSeconds(): number;
  /** Begins no other round; nothing follows from the one that runs. */
  stop(): void;
}

/** Seconds by which two clocks may differ and still be known alike. */
const sameSeconds = 0.001;

/** Seconds after the last look from which on the host has slept meanwhile: four times the usual. */
const sleptSeconds = 64;

/** Seconds for which another requested round is refused after one that succeeded. */
const restSeconds = 10;

type Wish = RoundWish & { readonly isAsked: boolean };

/** Of a round that the agent makes by itself. */
const unasked = { isRequested: false, isStepAllowed: true, isForced: false, isAsked: false };

export function createSynchroniser(options: SynchroniserOptions): Synchroniser {
  return new Loop(options);
}

class Loop implements Synchroniser {
  readonly #options: SynchroniserOptions;
  #way: Way | null = null;
  #knowledge: Knowledge = nothingKnown;
  #report: DelegateReport | null = null;
  #reportedAt: number | null = null;
  #poll: PollState = firstPoll;
  #flight: Flight | null = null;
  #isFirst = false;
  #lookedAt = Number.POSITIVE_INFINITY;
  #requestedAt = Number.NEGATIVE_INFINITY;
  readonly #timetable: Timetable;

  constructor(options: SynchroniserOptions) {
    this.#options = options;
    this.#timetable = createTimetable({
      timers: options.timers,
      onRound: (exchanges) => this.#begin(exchanges),
      onLook: () => this.#look().catch(() => undefined),
    });
  }

  start(): void {
    this.#timetable.start();
    // At once: a clock below the floor is stepped there before anybody asks it.
    void this.settle().then(
      () => this.#options.onLook(),
      // The first round finds it out anew.
      () => undefined,
    );
    this.#isFirst = true;
    this.#timetable.roundIn(this.#options.random() * firstBurst.delaySeconds, firstBurst.first);
  }

  async settle(): Promise<Way> {
    const way = this.#way ?? (await this.#options.findWay(false));
    if (!this.#way) this.#enter(way);
    return way;
  }

  async request(wanted: Request): Promise<void> {
    const { isStepAllowed, isForced } = wanted;
    const running = this.#flight;
    if (running) {
      if (!running.isOutdated) joinRound(running.wish, wanted);
      await running.done;
      if (running.isOutdated || !this.#isAnswer(running.wish, wanted)) return this.request(wanted);
    } else {
      const sinceSeconds = this.#now() - this.#requestedAt;
      if (sinceSeconds < restSeconds && !isForced) throw restingRefusal(restSeconds - sinceSeconds);
      const own = this.#round({ burst, isRequested: isStepAllowed, isStepAllowed, isForced, isAsked: true });
      await own.done;
      if (own.isOutdated) return;
    }
    const isReported = this.#way?.kind === "delegate" && this.#report?.isSynchronised === true;
    if (isReported || this.#knowledge.verdict?.kind === "agreed") this.#requestedAt = this.#now();
  }

  /** Whether a round that was joined is what was asked for; not a single exchange, nor a mere look at a daemon. */
  #isAnswer({ burst: exchanges }: RoundWish, { isStepAllowed }: Request): boolean {
    // It only watched, for another hand was on the clock; whoever asks for a correction wants it all the same.
    if (isStepAllowed && this.#way?.kind === "observe" && this.#way.because === "external_change")
      return false;
    return exchanges >= burst || this.#knowledge.verdict?.kind === "agreed";
  }

  nudge(): void {
    // It has read the settings already.
    if (this.#flight) this.#flight.isOutdated = true;
    else this.#timetable.roundIn(0, burst);
  }

  forget(setByHandAt: number | null): void {
    this.#knowledge = { ...nothingKnown, setByHandAt };
    this.#poll = firstPoll;
    this.#requestedAt = Number.NEGATIVE_INFINITY;
  }

  knowledge = (): Knowledge => this.#knowledge;
  report = (): DelegateReport | null => this.#report;
  reportedAt = (): number | null => this.#reportedAt;
  way = (): Way | null => this.#way;

  standing(): Standing {
    const present = { monotonicSeconds: this.#now(), pollSeconds: this.pollSeconds() };
    return standingOf(this.#way, this.#knowledge, this.#report, present);
  }

  pollSeconds(): number {
    return pollSecondsOf(this.#way, this.#poll);
  }

  stop(): void {
    this.#timetable.stop();
    // Not waited for: that takes seconds, and no timer of it keeps the process alive until the state is closed.
    if (this.#flight) this.#flight.wish.isAbandoned = true;
  }

  #now(): number {
    return this.#options.steering.read().monotonicSeconds;
  }

  #begin(exchanges: number): void {
    if (this.#flight) return;
    void this.#round({ ...unasked, burst: exchanges }).done.catch(() => undefined);
  }

  async #look(): Promise<void> {
    const way = await this.#options.findWay(false);
    if (this.#flight) return;
    const isOther = !isSameWay(this.#way, way);
    if (isOther) this.#enter(way);
    this.#options.onLook();
    const sinceSeconds = this.#now() - this.#lookedAt;
    this.#lookedAt = this.#now();
    if (isOther || sinceSeconds > sleptSeconds) this.nudge();
  }

  #round(wish: Wish): Flight {
    const done = this.#measure(wish).finally(() => {
      this.#flight = null;
      if (wish.isAbandoned) return;
      // First, for a look may want the next round at once.
      this.#schedule(flight.isOutdated);
      this.#options.onLook();
    });
    const flight: Flight = { wish, done, isOutdated: false };
    this.#flight = flight;
    return flight;
  }

  async #measure(wish: Wish, isAgain = false): Promise<void> {
    // Another hand's work is seen before ours covers it.
    this.#options.onLook();
    const way = await this.#options.findWay(wish.isAsked && wish.isStepAllowed);
    if (!isSameWay(this.#way, way)) this.#enter(way);
    switch (way.kind) {
      case "manual":
        return;
      case "delegate":
        return this.#ask(this.#options.delegateOf(way.daemon), wish);
      case "discipline":
      case "observe":
        return this.#own(way, wish, isAgain);
    }
  }

  async #own(way: Way, wish: Wish, isAgain: boolean): Promise<void> {
    const round = await this.#options.ownTime.round(wish);
    // Once more: whose turn it is has changed by that.
    if (round.verdict.kind === "disturbed" && !isAgain) return this.#measure(wish, true);
    if (!wish.isAbandoned) this.#takeIn(way, round);
  }

  #enter(way: Way): void {
    const { steering, onWay } = this.#options;
    const before = this.#way;
    const lackingSeconds = steering.hostOffsetSeconds();
    this.#way = way;
    this.#report = null;
    this.#poll = firstPoll;
    onWay(way, before);
    // What was known was known of the clock on paper.
    if (!steering.isOnPaper() && Math.abs(lackingSeconds) > sameSeconds) this.#knowledge = nothingKnown;
  }

  async #ask(delegate: Delegate, wish: Wish): Promise<void> {
    try {
      if (wish.isAsked) await (wish.isStepAllowed ? delegate.sync(wish.isForced) : delegate.reselect());
    } finally {
      this.#report = await delegate.read();
      if (this.#report.isSynchronised) this.#reportedAt = this.#now();
      this.#knowledge = nothingKnown;
      if (!wish.isAbandoned) this.#options.onRound({ kind: "delegate", daemon: delegate.name }, null);
    }
  }

  #takeIn(way: Way, round: OwnRound): void {
    const { steering, onRound } = this.#options;
    const believed = steering.believed();
    this.#knowledge = afterRound(this.#knowledge, round, { ...steering.read(), believed });
    const poll = pollAfterRound(this.#poll, round, believed?.frequencyDeviationPpm ?? null);
    // Half a burst without an answer is no silence yet.
    this.#poll = this.#isFirst && !round.isAnswered ? firstPoll : poll;
    onRound(way, round);
  }

  #schedule(isNudged: boolean): void {
    const facts = { way: this.#way, poll: this.#poll, isFirst: this.#isFirst, isNudged };
    const next = nextRound({ ...facts, random: this.#options.random() });
    this.#isFirst = false;
    if (next) this.#timetable.roundIn(next.seconds, next.exchanges);
    else this.#timetable.noRound();
  }
}
