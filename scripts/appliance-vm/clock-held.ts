import { serverNames, timeSettings, trueServers } from "./clock-scenario.ts";
import type { Guest } from "./guest/vocabulary.ts";
import type { Scenario } from "./scenario.ts";
import { chronyConfiguration } from "./time-daemons.ts";

/** Minutes that the clock is watched for, and those before that it may settle in. */
const heldMinutes = 30;
const settlingMinutes = 3;

/** Readings of chronyd -Q a minute; their median counts, for under emulation a single one errs by milliseconds. */
const readings = 5;

/**
 * The same half hour for the agent and for chronyd, each in a machine of its own, side by side where there are two
 * processors: what disturbs one disturbs the other.
 */
export function heldBy(unit: "steward.service" | "chrony.service"): Scenario {
  return {
    title: `half an hour in the hands of ${unit}`,
    timeoutSeconds: (heldMinutes + settlingMinutes + 6) * 60,
    servers: trueServers,
    files: { ...timeSettings({ servers: serverNames }), ...chronyConfiguration(11_123, 11_124, 11_125) },
    boots: [{ units: [unit], run: (guest) => held(guest, unit) }],
  };
}

async function held(guest: Guest, unit: string): Promise<void> {
  await guest.until("synchronised", 120, async () => (await guest.clock.kernel()).synchronised);
  await guest.pause(settlingMinutes * 60);
  const errors: number[] = [];
  for (let minute = 0; minute < heldMinutes; minute += 1) {
    const { medianSeconds } = await guest.clock.error(11_123, readings);
    errors.push(Math.abs(medianSeconds));
    await guest.pause(60 - readings * 1.5);
  }
  const sorted = errors.toSorted((one, other) => one - other);
  const at = (part: number) =>
    Math.round((sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN) * 1e6);
  guest.figure(`${unit}: readings of the half hour`, errors.length, "");
  guest.figure(`${unit}: held error, median`, at(0.5), "µs");
  guest.figure(`${unit}: held error, 90 % within`, at(0.9), "µs");
  guest.figure(`${unit}: held error, worst`, at(1), "µs");
  guest.check("the clock was held", at(1) < 50_000, errors);
}
