import { StewardError } from "../contract/errors.ts";
import { isBudgeted, type Operation } from "../contract/operations/operation.ts";
import type { Uptime } from "../host/ports.ts";
import { createBuckets } from "../journal/logs/rates.ts";
import type { Actor } from "./call.ts";

/** The two fields of draft-ietf-httpapi-ratelimit-headers-10: the rule, and the rest. */
export interface BudgetHeaders {
  readonly "RateLimit-Policy": string;
  readonly RateLimit: string;
}

/** A person writes some ten times a minute; a program that sets up a device with 500 users does it at once. */
export const changesOfAccount = { burst: 600, perSecond: 1 } as const;

const { burst, perSecond } = changesOfAccount;
const policy = `"changes";q=${burst};w=${burst / perSecond}`;

/** Bounds each account's writes, over all sessions and API tokens: each costs disk and record. Local root has no bound. */
export function createWriteBudget(uptime: Uptime) {
  const budgets = createBuckets(changesOfAccount, () => uptime() * 1_000);
  return {
    /** `tell` gets the rest of the budget as headers, also if it throws. Throws `rate_limited`. */
    take: (operation: Operation, actor: Actor, tell: (headers: BudgetHeaders) => void): void => {
      if (!isBudgeted(operation) || (actor.kind !== "user" && actor.kind !== "token")) return;
      const budget = budgets(actor.account.id);
      const isTaken = budget.take();
      tell(headersOf(budget.left()));
      if (isTaken) return;
      throw new StewardError(
        "rate_limited",
        `This account has made more than ${burst} changes in a short time. It may make one a second from now on.`,
        { details: { retryAfterSeconds: 1 / perSecond } },
      );
    },
  };
}

/** `t`: seconds until all of it is available again; while nothing is left, until the next one is, as in Retry-After. */
function headersOf(left: number): BudgetHeaders {
  const seconds = (left === 0 ? 1 : burst - left) / perSecond;
  return { "RateLimit-Policy": policy, RateLimit: `"changes";r=${left};t=${seconds}` };
}
