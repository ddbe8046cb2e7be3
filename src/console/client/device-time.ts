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
