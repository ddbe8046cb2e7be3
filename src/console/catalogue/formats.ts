import type { Format } from "../../contract/words/format.ts";
import { language, locale, t, wordFor } from "./words.ts";

const minute = 60;
const hour = 3_600;
const day = 86_400;
const year = 365.25 * day;

/** A distance below the first number is counted in units of the second, both in seconds. */
const distances = [
  [45 * minute, minute, "minute"],
  [22 * hour, hour, "hour"],
  [26 * day, day, "day"],
  [320 * day, 30.4 * day, "month"],
  [Number.POSITIVE_INFINITY, year, "year"],
] as const;

/** `2 minutes ago`, `in 4 hours`; seconds are positive for the future. */
export function relativeTime(seconds: number): string {
  const size = Math.abs(seconds);
  const [, length, unit] = distances.find(([below]) => size < below) ?? distances[0];
  if (size < 45) return t.time.now;
  return new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(Math.round(seconds / length), unit);
}

/** Date and time to the second, in the browser's time zone or another. */
export function absoluteTime(at: Date, timeZone?: string): string {
  const text = at.toLocaleString(locale, { dateStyle: "medium", timeStyle: "medium", timeZone });
  return timeZone === undefined ? text + zoneOfTwice(at) : text;
}

/** `14:32`, with the date where it is not today's. */
export function timeOfDay(at: Date): string {
  const isToday = at.toDateString() === new Date().toDateString();
  return at.toLocaleString(locale, { dateStyle: isToday ? undefined : "medium", timeStyle: "short" });
}

/** Units for lengths of time, in the same form. */
const lengths = [
  [0.000_999_5, 1e-6, "µs"],
  [0.999_5, 1e-3, "ms"],
  [2 * minute, 1, "s"],
  [2 * hour, minute, "min"],
  [2 * day, hour, "h"],
  [Number.POSITIVE_INFINITY, day, "d"],
] as const;

/** `0.4 ms`, `1.2 s`, `3 min`, `57 years`: a length of time in the unit that it is read best in; the sign stays. */
export function shortDuration(seconds: number): string {
  if (Math.abs(seconds) >= 2 * year) return counted(Math.round(seconds / year), "year");
  const [, length, unit] = lengths.find(([below]) => Math.abs(seconds) < below) ?? lengths[0];
  const value = seconds / length;
  return withUnit(figure(value, Math.abs(value) < 10 ? 1 : 0), unit);
}

/** Both on one line. */
export function withUnit(figures: string, unit: string): string {
  return `${figures}\u00a0${unit}`;
}

/** `41 days`, `3 hours`: a length of time as people say it. */
export function longDuration(seconds: number): string {
  const [value, unit] =
    seconds < 2 * hour ? [minute, "minute"] : seconds < 2 * day ? [hour, "hour"] : [day, "day"];
  return counted(Math.floor(seconds / Number(value)), String(unit));
}

/** `3 hours`, `1 second`. */
export function counted(count: number, unit: string): string {
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(count);
}

/** `70 %`, of a share from 0 to 1. */
export function percent(share: number): string {
  return share.toLocaleString(locale, { style: "percent" });
}

/** With at most so many digits behind the point. */
export function figure(value: number, digits = 0): string {
  return value.toLocaleString(locale, { maximumFractionDigits: digits });
}

/** `256 MiB`. */
export function bytes(value: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(value) / 10));
  const shown = value / 1024 ** power;
  return withUnit(figure(shown, shown < 10 && power > 0 ? 1 : 0), units[power] ?? "");
}

/** ` CEST` where a clock shows the time twice, at the end of summer time; else nothing. */
export function zoneOfTwice(at: Date): string {
  const offset = (hours: number): number => new Date(at.getTime() + hours * hour * 1_000).getTimezoneOffset();
  if (offset(-1) >= offset(1)) return "";
  // The languages that are spoken have it last.
  return ` ${at.toLocaleString(locale, { timeZoneName: "short" }).split(" ").at(-1)}`;
}

/** Names that are listed; the rest is counted. */
const mostNames = 3;

/** The page's form of the figures in a sentence of the contract. */
export const pageFormat: Format = {
  span: shortDuration,
  moment: (at) => absoluteTime(new Date(at)),
  day: (at) => new Date(at).toLocaleDateString(locale, { dateStyle: "long" }),
  users: (names) => {
    const rest = names.length - mostNames;
    const shown = names.slice(0, mostNames);
    return new Intl.ListFormat(locale).format([...shown, ...(rest > 0 ? [`+${rest}`] : [])]);
  },
  bytes,
  error: (code) => wordFor<string>(t.problem.codes, code) ?? code,
  said: (facts) => facts[language as "de"] ?? facts.en ?? "",
  isTerminal: false,
};

/** `0:29`, `14:59`, `3:59:59`: the rest of a time, to the second. */
export function countdown(seconds: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  const minutes = `${Math.floor((seconds / minute) % 60)}:${two(seconds % minute)}`;
  return seconds < hour ? minutes : `${Math.floor(seconds / hour)}:${minutes.padStart(5, "0")}`;
}

/** True: the text contains each sought word; capitals and accents do not matter. */
export function isFoundIn(text: string, sought: string): boolean {
  const inText = folded(text);
  return folded(sought)
    .split(/\s+/)
    .every((word) => inText.includes(word));
}

/** Texts are compared in this form, without capitals and accents. */
export function folded(text: string): string {
  return text
    .toLocaleLowerCase(language)
    .normalize("NFD")
    .replace(/\p{Mn}/gu, "")
    .trim();
}
