import type { ClockState, ReadClock } from "../clock/trust/clock-state.ts";
import type { ProblemClock } from "../contract/types.ts";
import type { Uptime } from "../host/ports.ts";

/** The time where another clock counts (codes, access tokens, expiry), and its trust. Sessions and delays are monotonic. */
export type TrustedTime = ReturnType<typeof createTrustedTime>;

interface TimeObserver {
  /** A step of so many seconds was seen; positive: forward. */
  onStep: (seconds: number) => void;
  onTrusted: () => void;
}

/** Seconds that now may move against monotonic time within one epoch. */
const epochToleranceSeconds = 30;

/**
 * Earlier epochs remembered, in case their steps are undone. A token lives 15 minutes, so older epochs do not matter.
 */
const rememberedEpochs = 16;

export function createTrustedTime({
  wall,
  uptime,
  readClock,
  floor,
}: {
  /** Milliseconds of the host's wall clock. */
  wall: () => number;
  uptime: Uptime;
  readClock: ReadClock;
  /** A time no later than the present, whatever the clock says: this program's build date, or a later known one. */
  floor: () => Date;
}) {
  const nowSeconds = (): number => wall() / 1_000 + readClock().offsetSeconds;
  const now = (): Date => new Date(nowSeconds() * 1_000);
  let observer: TimeObserver | undefined;
  const steps = createStepWatch(nowSeconds, uptime, (seconds) => observer?.onStep(seconds));
  let trusted: { milliseconds: number; uptimeSeconds: number } | null = null;
  const startedAt = uptime();
  // A restart of the agent does not count as becoming trusted: locks from before it go on.
  let wasTrusted = readClock().trust !== "none";
  const isTrusted = (): boolean => {
    const isNow = readClock().trust !== "none";
    const hasBegun = isNow && !wasTrusted;
    wasTrusted = isNow;
    if (isNow) trusted = { milliseconds: now().getTime(), uptimeSeconds: uptime() };
    if (hasBegun) observer?.onTrusted();
    return isNow;
  };
  return {
    /** The host's wall clock plus the measured correction that is not applied yet; issuing and checking both use it. */
    now,
    /** The same in seconds since 1970, for checks at every request. */
    nowSeconds,
    /** A number that changes after each step of more than 30 s, and at each start of the agent. */
    epoch: (): number => steps.look().epoch,
    /** True in that epoch, or if every step since was undone: its token then ends as without the steps, and no later. */
    isInEpoch: steps.isIn,
    isTrusted,
    floor,
    /**
     * The time for comparisons with expiry dates: now while the clock is trusted; otherwise the last trusted time carried
     * on by monotonic time, or at first the floor. While the clock is not trusted, API tokens neither expire nor become
     * valid again.
     */
    expiryNow: (): Date => {
      if (isTrusted()) return now();
      const { milliseconds, uptimeSeconds } = trusted ?? {
        milliseconds: floor().getTime(),
        uptimeSeconds: startedAt,
      };
      return new Date(milliseconds + (uptime() - uptimeSeconds) * 1_000);
    },
    /** Notifies this observer from now on, in place of any former one. */
    observe: (next: TimeObserver): void => {
      observer = next;
    },
    /** Seconds of monotonic time since the last step that was seen; infinity if there was none. */
    secondsSinceStep: (): number => uptime() - steps.look().steppedAt,
    /** The facts of the clock for an answer: a sender with a proven identity learns more than the time. */
    describe: ({
      isProven,
      isSkewSuspected,
    }: {
      isProven: boolean;
      isSkewSuspected?: boolean;
    }): ProblemClock => {
      const clock = readClock();
      const open = { server_time: now().toISOString(), synchronised: clock.synchronised };
      return isProven ? { ...open, ...details(clock), skew_suspected: isSkewSuspected ?? false } : open;
    },
  };
}

function details(clock: ClockState): Partial<ProblemClock> {
  return {
    state: clock.state,
    last_sync_at: clock.lastSyncAt?.toISOString() ?? null,
    last_step_seconds: clock.lastStepSeconds,
    last_step_at: clock.lastStepAt?.toISOString() ?? null,
  };
}

/** Measures the movement of now against monotonic time; a step that is undone between two measurements does no harm. */
function createStepWatch(nowSeconds: () => number, uptime: Uptime, onStep: (seconds: number) => void) {
  const difference = (): number => nowSeconds() - uptime();
  // Two starts of the agent never share numbers: the clock may have been stepped while the agent was down.
  let epoch = Math.floor(Math.random() * 2 ** 40) * 1_000;
  let reference = difference();
  let steppedAt = Number.NEGATIVE_INFINITY;
  let earlier: readonly { epoch: number; reference: number }[] = [];
  const look = (): { epoch: number; steppedAt: number } => {
    const moved = difference() - reference;
    if (Math.abs(moved) > epochToleranceSeconds) {
      earlier = [...earlier, { epoch, reference }].slice(-rememberedEpochs);
      epoch += 1;
      reference += moved;
      steppedAt = uptime();
      onStep(moved);
    }
    return { epoch, steppedAt };
  };
  return {
    look,
    isIn: (wanted: number): boolean => {
      if (look().epoch === wanted) return true;
      const former = earlier.find((one) => one.epoch === wanted);
      return former !== undefined && Math.abs(difference() - former.reference) <= epochToleranceSeconds;
    },
  };
}
