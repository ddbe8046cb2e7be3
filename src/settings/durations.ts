const secondsPerUnit = { d: 86_400, h: 3_600, m: 60, s: 1 } as const;

/** Seconds of a duration such as `90s`, `30m`, `1h30m`, `7d`. Throws a RangeError on any other text. */
export function durationSeconds(text: string): number {
  const match = /^(?=.)(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?$/.exec(text);
  if (!match) throw new RangeError(`"${text}" is not a duration such as 90s, 30m, 6h or 7d`);
  const units = [secondsPerUnit.d, secondsPerUnit.h, secondsPerUnit.m, secondsPerUnit.s];
  return units.reduce((sum, seconds, index) => sum + seconds * Number(match[index + 1] ?? 0), 0);
}
