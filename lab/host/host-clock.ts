import { join } from "node:path";
import { loadClockAddon } from "../../src/host/linux/clock/clock-addon.ts";
import { openClockDriver } from "../../src/host/linux/clock/clock-driver.ts";

/** The built addon. */
export const clockAddon = loadClockAddon(join(import.meta.dirname, "../../dist/clock-steering.node"));

/** This machine's clock through it, to be read and never to be set. */
export const hostClock = openClockDriver(false, clockAddon);
