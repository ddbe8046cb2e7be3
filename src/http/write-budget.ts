import { StewardError } from "../contract/errors.ts";
import { isBudgeted, type Operation } from "../contract/operations/operation.ts";
import type { Uptime } from "../host/ports.ts";
import { createBuckets } from "../journal/logs/rates.ts";
import type { Actor } from "./call.ts";

/**
 * Bounds the writes of each account, in all its sessions and API tokens: every one of them writes to the disk and into
 * the record of events. Local root has no bound.
 */
export interface WriteBudget {
  /** Throws `rate_limited`. */
  take(operation: Operation, actor: Actor): void;
}

/** A person writes some ten times a minute; a program that sets up a device with 500 users does it in one go. */
const ofAccount = { burst: 600, perSecond: 1 };

export function createWriteBudget(uptime: Uptime): WriteBudget {
  const budgets = createBuckets(ofAccount, () => uptime() * 1_000);
  return {
    take: (operation, actor) => {
      if (!isBudgeted(operation) || (actor.kind !== "user" && actor.kind !== "token")) return;
      if (budgets(actor.account.id).take()) return;
      throw new StewardError(
        "rate_limited",
        "This account has made more than 600 changes in a short time. It may make one a second from now on.",
        { details: { retryAfterSeconds: 1 } },
      );
    },
  };
}
