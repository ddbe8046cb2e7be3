import { existsSync } from "node:fs";
import { join } from "node:path";
import { lookForClockSetters } from "./clock-setters.ts";
import { type Answer, type DoctorContext, outputOf, textOf } from "./doctor-context.ts";
import { type Entry, entriesOf, entryOf } from "./finding.ts";

const { ok, failing, attention } = entriesOf("clock");

/** Seconds by which the two clocks of a device may differ before a person should know. */
const apartSeconds = 3_600;

/** Examines the time, the battery-backed clock, and the programs that set the clock. */
export async function lookAtClock(context: DoctorContext, answer: Answer): Promise<Entry[]> {
  const [plausible, setters] = await Promise.all([lookAtTime(context), lookForClockSetters(context, answer)]);
  const zone = context.host.timeZoneTrouble();
  return [plausible, ...setters, ...(zone === null ? [] : [entryOf(zone)])];
}

async function lookAtTime(context: DoctorContext): Promise<Entry> {
  const { program, places, host, now } = context;
  const time = now();
  const floor = latest(program.builtAt, await keptFloor(places.stateDirectory));
  const battery = await host.readRealTimeClock();
  const shown = time.toISOString();
  if (time < floor) {
    const isBatteryRight = battery !== null && battery >= floor;
    const meaning = isBatteryRight
      ? `The battery-backed clock says ${battery.toISOString()}.`
      : "Codes of authenticators, certificates and updates cannot be judged.";
    return failing(
      "before_floor",
      `This clock says ${shown}, and ${floor.toISOString()} has certainly passed. ${meaning}`,
      isBatteryRight ? `steward time set --yes ${battery.toISOString()}` : "steward time set --yes TIME",
    );
  }
  const differs = battery !== null && Math.abs(battery.getTime() - time.getTime()) / 1_000 > apartSeconds;
  const isSynchronised = (
    await outputOf(context, "timedatectl", ["show", "--property=NTPSynchronized", "--value"])
  )?.trim();
  const kernel = isSynchronised === "yes" ? "; the kernel counts it as synchronised" : "";
  if (!differs) return ok("plausible", `${shown} can be true${kernel}.`);
  return batteryApart(context, { shown, battery, isPast: battery < floor });
}

/** `isPast`: the battery-backed clock is wrong for certain. */
function batteryApart(
  { root }: DoctorContext,
  { shown, battery, isPast }: { shown: string; battery: Date; isPast: boolean },
): Entry {
  // Debian 13 has it in a package of its own, util-linux-extra.
  const isKeeper = existsSync(join(root, "/usr/sbin/hwclock"));
  const reboot = "after a reboot without a network the device starts with the second one.";
  const meaning = isPast
    ? `The second one has certainly passed, and ${reboot} If the first one is right, this line sets the second by it.`
    : `One of them is wrong; ${reboot}`;
  return attention(
    "battery_clock_apart",
    `This clock says ${shown}, the battery-backed one ${battery.toISOString()}. ${meaning}`,
    isPast && isKeeper ? "hwclock --systohc" : "steward time status",
  );
}

function latest(one: Date, other: Date | null): Date {
  return other !== null && other > one ? other : one;
}

/** The floor as the agent has kept it; null: it cannot be read. */
async function keptFloor(stateDirectory: string): Promise<Date | null> {
  const text = await textOf(join(stateDirectory, "clock.json"));
  const floor = /"floor_at":\s*"([^"]+)"/.exec(text ?? "")?.[1];
  const date = new Date(floor ?? "");
  return Number.isNaN(date.getTime()) ? null : date;
}
