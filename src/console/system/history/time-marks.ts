import type { Range } from "../../../contract/clock/source-intervals.ts";
import { locale } from "../../catalogue/words.ts";

/** A time on the axis, by the browser's clock and calendar. */
export interface TimeMark {
  readonly at: number;
  readonly text: string;
  /** Added where there is room. */
  readonly more: string;
}

/** Hours between two marks of a day. */
const markHours = 4;

/** The midnights of several days, or some hours of one. */
export function marksOf({ low, high }: Range): TimeMark[] {
  const isOfDays = high - low > 2 * 86_400_000;
  const at = new Date(low);
  at.setHours(0, 0, 0, 0);
  const marks: TimeMark[] = [];
  while (at.getTime() <= high) {
    if (at.getTime() >= low) marks.push(markOf(new Date(at)));
    // By the calendar: a day of summer time's begin or end has another number of hours.
    if (isOfDays) at.setDate(at.getDate() + 1);
    else at.setHours(at.getHours() + markHours);
  }
  return marks;
}

function markOf(at: Date): TimeMark {
  const said = (style: Intl.DateTimeFormatOptions) => at.toLocaleString(locale, style);
  if (at.getHours() !== 0) return { at: at.getTime(), text: hourIn(at), more: "" };
  return { at: at.getTime(), text: said({ weekday: "short" }), more: ` ${said({ day: "numeric" })}` };
}

/** `16:00`, or `4 PM` where hours are counted to 12: the minutes would take the room of the next mark. */
function hourIn(at: Date): string {
  return at.toLocaleTimeString(locale, locale === "en-US" ? { hour: "numeric" } : { timeStyle: "short" });
}

/** `Tue, 24 Nov, 14:35`. */
export function momentInWords(at: number): string {
  const day = { weekday: "short", day: "numeric", month: "short" } as const;
  return new Date(at).toLocaleString(locale, { ...day, hour: "2-digit", minute: "2-digit" });
}
