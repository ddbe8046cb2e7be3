/** Seconds: a server that wants a longer pause than a day is called again after a day. */
const longestRetrySeconds = 86_400;

const months = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec";

// RFC 9110 §5.6.7: the one form that senders may make.
const imfFixdate = new RegExp(
  `^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), ([0-3][0-9]) (${months}) ([0-9]{4}) ([0-2][0-9]):([0-5][0-9]):([0-6][0-9]) GMT$`,
);

/** Header fields by their lower-case names. */
export type Fields = Readonly<Record<string, string | undefined>>;

/** Milliseconds since the epoch; null: no date of RFC 9110's preferred form. */
export function readHttpDate(text: string | undefined): number | null {
  const [, day, month, year, hours, minutes, seconds] = imfFixdate.exec(text ?? "") ?? [];
  if (month === undefined) return null;
  const monthIndex = months.split("|").indexOf(month);
  const at = new Date(0);
  at.setUTCFullYear(Number(year), monthIndex, Number(day));
  at.setUTCHours(Number(hours), Number(minutes), Number(seconds));
  // The 31st of April is no date, the 60th second is one.
  return at.getUTCMonth() === monthIndex || Number(seconds) === 60 ? at.getTime() : null;
}

/** RFC 9110 §10.2.3: whole seconds, 0 to a day. A date counts from the server's own: ours may be wrong. Undefined: none. */
export function readRetryAfter(fields: Fields): number | undefined {
  const text = fields["retry-after"];
  if (text === undefined) return undefined;
  if (/^[0-9]+$/.test(text)) return Math.min(Number(text), longestRetrySeconds);
  const [at, now] = [readHttpDate(text), readHttpDate(fields.date)];
  if (at === null || now === null) return undefined;
  return Math.min(Math.max(Math.ceil((at - now) / 1_000), 0), longestRetrySeconds);
}
