import type { Validators } from "../../tuf/repository.ts";

/** Seconds: a server that wants a longer pause than a day is called again after a day. */
const longestRetrySeconds = 86_400;

/** Bytes of a validator: those of known servers have a tenth of it. */
const longestValidator = 256;

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

/**
 * RFC 9110 §10.2.3: whole seconds, 0 to a day. A date is held against the server's own `date`, for this device's clock
 * may be wrong. Undefined where it says nothing that can be understood.
 */
export function readRetryAfter(fields: Fields): number | undefined {
  const text = fields["retry-after"];
  if (text === undefined) return undefined;
  if (/^[0-9]+$/.test(text)) return Math.min(Number(text), longestRetrySeconds);
  const [at, now] = [readHttpDate(text), readHttpDate(fields.date)];
  if (at === null || now === null) return undefined;
  return Math.min(Math.max(Math.ceil((at - now) / 1_000), 0), longestRetrySeconds);
}

export interface ContentRange {
  readonly first: number;
  /** Inclusive. */
  readonly last: number;
  /** Bytes of the whole; null: not said. */
  readonly total: number | null;
}

/** RFC 9110 §14.4, only `bytes`; null: none, or none that makes sense. */
export function readContentRange(text: string | undefined): ContentRange | null {
  const [, first, last, total] =
    /^bytes ([0-9]{1,15})-([0-9]{1,15})\/([0-9]{1,15}|\*)$/i.exec(text ?? "") ?? [];
  if (first === undefined || last === undefined || total === undefined) return null;
  const range = { first: Number(first), last: Number(last), total: total === "*" ? null : Number(total) };
  const isSound = range.first <= range.last && (range.total === null || range.last < range.total);
  return isSound ? range : null;
}

/** Whole bytes; null: not said, or not understood. */
export function readContentLength(text: string | undefined): number | null {
  return /^[0-9]{1,15}$/.test(text ?? "") ? Number(text) : null;
}

/** Validators of a response that can be sent back later; malformed and overlong ones are left out. */
export function validatorsOf(fields: Fields): Validators {
  const { etag, "last-modified": modified } = fields;
  const isTag = etag !== undefined && etag.length <= longestValidator && /^(W\/)?"[!#-~]*"$/.test(etag);
  return {
    etag: isTag ? etag : null,
    last_modified: modified !== undefined && readHttpDate(modified) !== null ? modified : null,
  };
}
