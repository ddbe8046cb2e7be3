import type { Range } from "../../../contract/clock/source-intervals.ts";
import { locale } from "../../catalogue/words.ts";

/** Hours between two marks of a day. */
const markHours = 4;

/** The midnights of several days, or some hours of one, by the browser's clock; `more` is added where there is room. */
export function marksOf({ low, high }: Range) {
  // By the calendar: a day of summer time's begin or end has another number of hours.
  const hours = high - low > 2 * 86_400_000 ? 24 : markHours;
  // `16:00`, or `4 PM` where hours are counted to 12: the minutes would take the room of the next mark.
  const hour = locale === "en-US" ? ({ hour: "numeric" } as const) : ({ timeStyle: "short" } as const);
  const marks: { readonly at: number; readonly text: string; readonly more: string }[] = [];
  const at = new Date(low);
  for (at.setHours(0, 0, 0, 0); at.getTime() <= high; at.setHours(at.getHours() + hours)) {
    const said = (style: Intl.DateTimeFormatOptions) => at.toLocaleString(locale, style);
    const isMidnight = at.getHours() === 0;
    const text = said(isMidnight ? { weekday: "short" } : hour);
    if (at.getTime() >= low)
      marks.push({ at: at.getTime(), text, more: isMidnight ? ` ${said({ day: "numeric" })}` : "" });
  }
  return marks;
}

/** `Tue, 24 Nov, 14:35`. */
export function momentInWords(at: number): string {
  const day = { weekday: "short", day: "numeric", month: "short" } as const;
  return new Date(at).toLocaleString(locale, { ...day, hour: "2-digit", minute: "2-digit" });
}
