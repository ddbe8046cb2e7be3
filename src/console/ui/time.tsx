import { absoluteTime, relativeTime, timeOfDay } from "../catalogue/formats.ts";
import { t } from "../catalogue/words.ts";
import { deviceNow, deviceZone } from "../client/device-time.ts";
import { useStore } from "../store.ts";

/** A time as people say it, by the device's clock; tooltip and screen readers have the exact one. */
export function Time({ at, never = t.time.never }: { readonly at: string | null; readonly never?: string }) {
  useStore(deviceZone);
  if (at === null) return <span>{never}</span>;
  const date = new Date(at);
  const exact = exactTime(date);
  return (
    <time dateTime={at} title={exact}>
      {relativeTime((date.getTime() - deviceNow()) / 1_000)}
      <span class="unseen"> ({exact})</span>
    </time>
  );
}

/** The same as a clock shows it, for lists in which several times would read alike otherwise. */
export function ClockTime({ at }: { readonly at: string }) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={exactTime(date)}>
      {timeOfDay(date)}
    </time>
  );
}

/** A time to the second in the browser's zone, and in the device's where that has another one. */
export function exactTime(at: Date): string {
  const zone = deviceZone.read();
  const [here, there] = [absoluteTime(at), absoluteTime(at, zone)];
  return here.startsWith(there) ? here : `${here} = ${there} (${zone})`;
}

/** The words with the mark of authenticated time (RFC 8915): `selected, authenticated`. */
export function withMark(words: string, isAuthenticated: boolean): string {
  return isAuthenticated ? `${words}, ${t.home.authenticated}` : words;
}
