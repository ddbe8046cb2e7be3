import type { Timers, Uptime } from "../../host/ports.ts";
import type { Log } from "./log.ts";
import { createBuckets } from "./rates.ts";
import { createRepeats } from "./repeats.ts";

export interface ActorLinesOptions {
  log: Log;
  timers: Timers;
  uptime: Uptime;
}

/** A day's work of a person; then 1,440 a day, some 0.5 MiB. */
const ofActor = { burst: 500, perSecond: 1 / 60 };

/** Limits audit lines for each actor, so that none pushes out others'. Those beyond count into one a minute. */
export function createActorLines({ log, timers, uptime }: ActorLinesOptions) {
  const buckets = createBuckets(ofActor, () => uptime() * 1_000);
  const leftOut = createRepeats<string>({
    keyOf: (actor) => actor,
    amongOthers: () => ["others"],
    tell: (actor, count) => log("notice", "audit lines left out", { audit: true, actor, count }),
    timers,
  });
  return {
    /** `actor`: a user's name, or one before the name of one of their tokens (`ana/backup`). Null: no limit. */
    write: (actor: string | null, ...line: Parameters<Log>): void => {
      const user = actor?.split("/")[0] ?? null;
      if (user === null || buckets(user).take()) log(...line);
      else leftOut.add(user);
    },
    /** Writes the lines that were only counted. */
    close: leftOut.close,
  };
}
