import type { Uptime } from "../../host/ports.ts";
import type { Accounts } from "../../users/accounts.ts";
import type { TrustedTime } from "../trusted-time.ts";
import { acceptedStepsAround, secondsOfStep, stepOf } from "./totp.ts";
import type { UsedCodes } from "./used-codes.ts";

/** Seconds from the first moment at which a code is accepted to the last. */
const lifeSeconds = secondsOfStep(2 * acceptedStepsAround + 1);

/** Keeps used codes from working again after the record of used codes was lost. */
export function createLostCodes({
  usedCodes,
  accounts,
  time,
  uptime,
}: {
  usedCodes: UsedCodes;
  accounts: Pick<Accounts, "withFactor">;
  time: Pick<TrustedTime, "nowSeconds">;
  uptime: Uptime;
}) {
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
    /** The record was lost before this start: each code that could have been used until now counts as used. */
    refuse: async (): Promise<void> => {
      refusedAt = uptime();
      await burn();
    },
    /** The clock was stepped: codes from shortly before the loss may be accepted again, for as long as a code lives. */
    stepped: (): void => {
      if (uptime() - refusedAt <= lifeSeconds) void burn();
    },
  };
}
