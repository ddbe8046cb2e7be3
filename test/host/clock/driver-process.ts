/** A process of its own that opens the driver, prints what it says as JSON, and asks it to steer where it must refuse. */
import assert from "node:assert/strict";
import { argv } from "node:process";
import { openClockAddon } from "../../../src/host/linux/clock/clock-addon.ts";
import { openClockDriver } from "../../../src/host/linux/clock/clock-driver.ts";
import type { ClockReading, KernelClock, SteeringBlocker } from "../../../src/host/ports.ts";

export interface DriverReport {
  blocker: SteeringBlocker | null;
  kernel: KernelClock | null;
  reading: ClockReading;
  /** Milliseconds: Date.now() just before and just after the reading. */
  between: [number, number];
  failure: string | null;
  refusals: unknown[];
}

const { maySteer = false, addonPath = "" } = JSON.parse(argv[2] ?? "{}");
let failure: string | null = null;
const addon = openClockAddon(addonPath, (cause) => {
  failure = String(cause);
});
const driver = openClockDriver(maySteer, addon);
// Never where it might succeed: this is the clock of a real machine.
assert.notEqual(driver.blocker, null, "a driver that may steer has no place in a test on this machine");
driver.read();
const first = Date.now();
const reading = driver.read();
const report: DriverReport = {
  blocker: driver.blocker,
  kernel: driver.kernel(),
  reading,
  between: [first, Date.now()],
  failure,
  refusals: [
    () => driver.step(0),
    () => driver.slew(0),
    () => driver.setFrequency(0),
    () => driver.setQuality({ isSynchronised: true, maxErrorSeconds: 0, estErrorSeconds: 0, leap: "none" }),
  ].map(codeThrown),
};
console.log(JSON.stringify(report));

function codeThrown(call: () => unknown): unknown {
  try {
    call();
    return "nothing";
  } catch (error) {
    return error instanceof Error && "code" in error ? error.code : error;
  }
}
