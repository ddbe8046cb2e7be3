import { createStore } from "../store.ts";

/** Milliseconds that the device is ahead of the browser; shown times go by the device's clock. */
let aheadMilliseconds = 0;

/** The device's time zone; undefined: not known, or none that this browser knows. */
export const deviceZone = createStore<string | undefined>(undefined);

/** Takes note of the device's time as it was said just now, and of its zone, which only the status names. */
export function deviceTimeSaid(serverTime: string, timeZone?: string): void {
  aheadMilliseconds = Date.parse(serverTime) - Date.now();
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    // The greeting says the time only.
    if (timeZone) deviceZone.set(timeZone);
  } catch {
    // An older browser may not know the name: then its own zone is all that there is to say.
  }
}

/** Milliseconds since 1970 by the device's clock, as well as it is known here. */
export function deviceNow(): number {
  return Date.now() + aheadMilliseconds;
}

/** Seconds; positive: the device is ahead of this browser. */
export function deviceAheadSeconds(): number {
  return aheadMilliseconds / 1_000;
}

/** Milliseconds by which a browser's clock may be behind a time that has passed. */
const toleranceMilliseconds = 30_000;

/** True: this browser's clock cannot be right, for the device knows that this time has passed. */
export function isBefore(floor: string): boolean {
  return Date.now() < Date.parse(floor) - toleranceMilliseconds;
}
