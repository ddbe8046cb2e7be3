/** Milliseconds that the device is ahead of the browser; shown times go by the device's clock. */
let aheadMilliseconds = 0;

/** Takes note of the device's time as it was said just now. */
export function deviceTimeSaid(serverTime: string): void {
  aheadMilliseconds = Date.parse(serverTime) - Date.now();
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
