/** Seconds of each unit that systemd prints (systemd.time(7)); a month is 30.44 days, a year 365.25. */
const unitSeconds = new Map([
  ["us", 1e-6],
  ["ms", 1e-3],
  ["s", 1],
  ["min", 60],
  ["h", 3_600],
  ["d", 86_400],
  ["w", 604_800],
  ["month", 2_629_800],
  ["y", 31_557_600],
]);

/** Seconds of a time span as systemd prints it, such as `3min 2.1s`, `30.395ms` or `0`; null: it is none. */
export function parseTimeSpan(text: string): number | null {
  if (text === "0") return 0;
  let seconds = 0;
  for (const part of text.split(" ")) {
    const [, number, unit = ""] = /^(\d+(?:\.\d+)?)([a-z]+)$/.exec(part) ?? [];
    const each = unitSeconds.get(unit);
    if (number === undefined || each === undefined) return null;
    seconds += Number(number) * each;
  }
  return seconds;
}
