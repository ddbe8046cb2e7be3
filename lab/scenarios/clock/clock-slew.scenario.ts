import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { clockStatus, serverNames, timeSettings, trueServers, untilStatus } from "./clock-scenario.ts";

/** A small error in service is taken away without a visible jump of the clock. */
export const scenario: TieredScenario = {
  title: "80 ms off is slewed away without a step",
  tiers: { vm: {} },
  timeoutSeconds: 500,
  servers: trueServers,
  files: timeSettings({ servers: serverNames }),
  boots: [{ run: slewed }],
};

async function slewed(guest: Guest): Promise<void> {
  await untilStatus(guest, "exact", 210, ({ state, offset_seconds, counters }) => {
    return state === "synchronised" && counters.rounds > 1 && Math.abs(offset_seconds) < 0.01;
  });
  await guest.types("systemctl stop steward");
  // As a restart finds it: in the same boot, so in service.
  await guest.clock.step(-0.08);
  await guest.types("systemctl start steward");
  const { count, backwards, largestStepSeconds, correctedSeconds } = await guest.clock.sample(200);
  guest.figure("samples", count, "");
  guest.figure("corrected while sampled", correctedSeconds * 1e3, "ms");
  guest.check("no sample is before the one before it", backwards === 0, backwards);
  guest.check("no step of more than 1 ms", Math.abs(largestStepSeconds) < 0.001, largestStepSeconds);
  guest.check("most of it is corrected", correctedSeconds > 0.06, correctedSeconds);
  const { last_step, counters } = await clockStatus(guest);
  guest.check("no step is in the status", last_step === null && counters.steps === 0, [last_step, counters]);
  const { medianSeconds } = await guest.clock.error(11_123);
  guest.figure("error after it", medianSeconds * 1e6, "µs");
  guest.check("and the clock is right", Math.abs(medianSeconds) < 0.005, medianSeconds);
}
