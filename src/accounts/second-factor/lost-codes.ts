import type { Uptime } from "../../host/ports.ts";
import type { TrustedTime } from "../trusted-time.ts";
import type { Accounts } from "../users/accounts.ts";
import { acceptedStepsAround, secondsOfStep, stepOf } from "./totp.ts";
import type { UsedCodes } from "./used-codes.ts";

/** Steps from the first moment at which a code is accepted to the last. */
const lifeSteps = 2 * acceptedStepsAround + 1;

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
    const first = stepOf(time.nowSeconds()) - acceptedStepsAround;
    const around = Array.from({ length: lifeSteps }, (_, index) => first + index);
    await usedCodes.burnForAll(accounts.withFactor(), around);
  };
  return {
    /** The record was lost before this start: each code that could have been used until now counts as used. */
    refuse: async (): Promise<void> => {
      refusedAt = uptime();
      await burn();
    },
    /** The clock was stepped: codes from shortly before the loss may be accepted again, for as long as a code lives. */
    stepped: (): void => {
      if (uptime() - refusedAt <= secondsOfStep(lifeSteps)) void burn();
    },
  };
}
