/** Seconds of each unit, the largest first, as they follow each other in a duration. */
const units = [
  ["d", 86_400],
  ["h", 3_600],
  ["m", 60],
  ["s", 1],
  ["ms", 0.001],
] as const;

/** A length of time, everywhere alike: whole numbers with units, the largest first: `90s`, `30m`, `6h`, `1h30m`, `250ms`. */
export const duration = {
  type: "string",
  maxLength: 64,
  pattern: "^(?=.)([0-9]{1,9}d)?([0-9]{1,9}h)?([0-9]{1,9}m)?([0-9]{1,9}s)?([0-9]{1,9}ms)?$",
  description: "a duration such as 90s, 30m, 6h, 1h30m or 7d",
  "x-expected": "a duration such as 30m, 6h or 7d",
} as const;

export const moment = {
  type: "string",
  maxLength: 64,
  pattern: `^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$|${duration.pattern}`,
  description: "an RFC 3339 time, or how long ago: 90s, 15m, 6h, 7d",
  "x-expected": "a time of RFC 3339 such as 2026-11-20T08:00:00Z, or how long ago, such as 30m, 6h or 7d",
} as const;

/** Completes an error about a text that is not a duration. */
export const durationWords = `must be ${duration["x-expected"]}`;

const form = new RegExp(duration.pattern);

/** Seconds of a duration. Throws a RangeError on any other text. */
export function durationSeconds(text: string): number {
  const parts = form.exec(text);
  if (!parts || text.length > duration.maxLength) {
    throw new RangeError(`"${text.slice(0, duration.maxLength)}" ${durationWords}`);
  }
  return units.reduce(
    (sum, [unit, seconds], index) => sum + seconds * Number(parts[index + 1]?.slice(0, -unit.length) ?? 0),
    0,
  );
}

/** The same; NaN for any other value. */
export function durationSecondsOrNaN(text: unknown): number {
  try {
    return typeof text === "string" ? durationSeconds(text) : Number.NaN;
  } catch {
    return Number.NaN;
  }
}
