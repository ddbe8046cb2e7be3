import type { TimeDaemon, Timers } from "../../host/ports.ts";
import type { Delegate } from "../daemons/external-daemon.ts";
import type { Steering } from "../discipline/steering.ts";
import type { OwnRound, OwnTime, RoundWish } from "./measurement.ts";
import type { Way } from "./mode.ts";

/** What somebody who asks for a round wants of it. */
export interface Request {
  readonly isStepAllowed: boolean;
  readonly isForced: boolean;
}

/** What the loop works with, and whom it tells. */
export interface SynchroniserOptions {
  readonly timers: Timers;
  readonly random: () => number;
  readonly steering: Steering;
  readonly ownTime: OwnTime;
  readonly delegateOf: (daemon: TimeDaemon) => Delegate;
  /** Whose turn it is; asked at each round and each look. */
  readonly findWay: (isRequested: boolean) => Promise<Way>;
  /** After each round: what was measured and decided. */
  readonly onRound: (way: Way, round: OwnRound | null) => void;
  /** Every few seconds, and after each round. */
  readonly onLook: () => void;
  /** A way begins that another one led to. */
  readonly onWay: (way: Way, before: Way | null) => void;
}

/** A round that runs. */
export interface Flight {
  readonly wish: RoundWish;
  readonly done: Promise<void>;
  /** The settings it went by are other ones by now, or its outcome is doubted: another follows at once. */
  isOutdated: boolean;
}
