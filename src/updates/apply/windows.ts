import type { Settings } from "../../contract/types.ts";

/** Times of the week in which updates may be applied, by the clock on the host's wall. */
export type Windows = Settings["update"]["windows"];

export type WindowsNow = ReturnType<typeof windowsAt>;

const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const;

/** Days from today on that contain the next opening of a weekly window, with one for a change of the clocks. */
const daysAhead = 8;

/**
 * The state of the windows in the time zone of this process. Each window opens once on each of its days, whatever
 * daylight saving time does: one that falls into the hour that is skipped opens after it for as long as it is, and the
 * hour that comes twice counts the first time.
 */
export function windowsAt(windows: Windows, now: Date) {
  if (windows.length === 0) return { isOpen: true, opensAt: null };
  const spans = windows.flatMap((window) => spansAround(window, now));
  const at = now.getTime();
  const next = Math.min(...spans.map(({ opens }) => opens).filter((opens) => opens > at));
  return {
    isOpen: spans.some(({ opens, closes }) => opens <= at && at < closes),
    /** When the next one opens; null: there are none, so that it is always open. */
    opensAt: Number.isFinite(next) ? new Date(next) : null,
  };
}

/** In milliseconds since 1970, from yesterday on, whose window may reach into today. */
function spansAround({ days, from, to }: Windows[number], now: Date) {
  const [year, month, today] = [now.getFullYear(), now.getMonth(), now.getDate()];
  const [fromMinutes, toMinutes] = [minutesOf(from), minutesOf(to)];
  const isNextDay = toMinutes <= fromMinutes;
  const lengthMinutes = toMinutes - fromMinutes + (isNextDay ? 24 * 60 : 0);
  const spans: { opens: number; closes: number }[] = [];
  for (let ahead = -1; ahead <= daysAhead; ahead += 1) {
    const day = today + ahead;
    // Noon is there on every day; midnight is not, where the clocks change at it.
    const weekday = weekdays[new Date(year, month, day, 12).getDay()];
    if (weekday === undefined || !days.includes(weekday)) continue;
    const opens = new Date(year, month, day, 0, fromMinutes).getTime();
    const closes = new Date(year, month, day + (isNextDay ? 1 : 0), 0, toMinutes).getTime();
    spans.push({ opens, closes: closes > opens ? closes : opens + lengthMinutes * 60_000 });
  }
  return spans;
}

/** Minutes since midnight of `HH:MM`. */
function minutesOf(clockTime: string): number {
  const [hours, minutes] = clockTime.split(":");
  return Number(hours) * 60 + Number(minutes);
}
