import { nameRules } from "../shapes.ts";

/** The beginning of a pattern that refuses a text in which nothing can be seen: of blanks, and of characters without a form. */
export const seen =
  "^(?![\\s\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0]+$)";

/** A text on one line; it may be empty. */
export const visibleLine = `${seen}[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]*$`;

/** Text that a person reads: no control characters, so that it is safe in a terminal and in a log line. */
export const displayName = {
  type: "string",
  maxLength: nameRules.longestDisplayName,
  pattern: visibleLine,
  "x-expected": "text on one line that can be seen, without control characters",
} as const;
