import type { Uptime } from "../../host/ports.ts";
import type { Accounts } from "../../users/accounts.ts";
import type { TrustedTime } from "../trusted-time.ts";
import { acceptedStepsAround, secondsOfStep, stepOf } from "./totp.ts";
import type { UsedCodes } from "./used-codes.ts";

/** Keeps used codes from working again after the record of used codes was lost. */
export interface LostCodes {
  /** The record was lost before this start: each code that could have been used until now counts as used. */
  refuse(): Promise<void>;
  /** The clock was stepped: codes from shortly before the loss may be accepted again, for as long as a code lives. */
  stepped(): void;
}

export interface LostCodesOptions {
  readonly usedCodes: UsedCodes;
  readonly accounts: Pick<Accounts, "withFactor">;
  readonly time: Pick<TrustedTime, "nowSeconds">;
  readonly uptime: Uptime;
}

/** Seconds from the first moment at which a code is accepted to the last. */
const lifeSeconds = secondsOfStep(2 * acceptedStepsAround + 1);

export function createLostCodes({ usedCodes, accounts, time, uptime }: LostCodesOptions): LostCodes {
  let refusedAt = Number.NEGATIVE_INFINITY;
  const burn = async (): Promise<void> => {
    const present = stepOf(time.nowSeconds());
    const around = Array.from(
      { length: 2 * acceptedStepsAround + 1 },
      (_, index) => index - acceptedStepsAround,
    );
    await usedCodes.burnForAll(
      accounts.withFactor(),
      around.map((steps) => present + steps),
    );
  };
  return {
    refuse: async () => {
      refusedAt = uptime();
      await burn();
    },
    stepped: () => {
      if (uptime() - refusedAt <= lifeSeconds) void burn();
    },
  };
}
