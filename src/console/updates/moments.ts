import { locale, t } from "../catalogue/words.ts";
import { deviceNow } from "../client/device-time.ts";

/** Days for which a weekday is enough to say which day is meant. */
const weekdays = 6;

/** `14:05`, `Tuesday`, `22 Nov`: the shortest that says when, by the device's clock. */
export function momentName(at: string): string {
  return named(at).text;
}

/** The same within a sentence: `at 14:05`, `on Tuesday`. */
export function momentPhrase(at: string): string {
  const { isToday, text } = named(at);
  return isToday ? t.updates.atTime(text) : t.updates.onDay(text);
}

function named(at: string): { readonly isToday: boolean; readonly text: string } {
  const [date, now] = [new Date(at), new Date(deviceNow())];
  const days = Math.abs(startOfDay(date) - startOfDay(now)) / 86_400_000;
  const say = (options: Intl.DateTimeFormatOptions): string => date.toLocaleString(locale, options);
  if (days < 0.5) return { isToday: true, text: say({ hour: "numeric", minute: "2-digit" }) };
  if (days < weekdays + 0.5) return { isToday: false, text: say({ weekday: "long" }) };
  const isSameYear = date.getFullYear() === now.getFullYear();
  const text = say({ day: "numeric", month: "short", ...(!isSameYear && { year: "numeric" }) });
  return { isToday: false, text };
}

function startOfDay(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}
