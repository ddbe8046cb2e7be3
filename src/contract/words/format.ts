import { problemTitles } from "./en/problems.ts";

/** The form in which a reader gets the figures of a sentence. */
export interface Format {
  /** A length of time without its sign. */
  readonly span: (seconds: number) => string;
  /** A moment that is given in RFC 3339. */
  readonly moment: (at: string) => string;
  /** A day that is given as a date or as a moment. */
  readonly day: (at: string) => string;
  /** Names of users; of many, the last ones are only counted. */
  readonly users: (names: readonly string[]) => string;
  readonly bytes: (count: number) => string;
  /** The title of an error; a code that is not known here stays as it is. */
  readonly error: (code: string) => string;
  /** The product's own sentence, of facts that have one; else empty. */
  readonly said: (facts: Sentence) => string;
  /** The reader types commands; otherwise they press the console's buttons. */
  readonly isTerminal: boolean;
}

/** A sentence of the product's, as the host file has it: in English and perhaps in German. */
export interface Sentence {
  readonly en?: string | undefined;
  readonly de?: string | undefined;
}

/** Names in a sentence before the rest is only counted. */
const mostNames = 5;

/** The agent's own form, which a terminal and a log can show. */
export const terminalFormat: Format = {
  span: spanInSeconds,
  moment: (at) => at,
  day: (at) => at,
  users: (names) => {
    const rest = names.length - mostNames;
    return [...names.slice(0, mostNames), ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
  },
  // Rounded down, so that the space left is not overstated.
  bytes: (count) => `${Math.floor((count / 2 ** 20) * 10) / 10} MiB`,
  error: (code) => (problemTitles as Readonly<Record<string, string>>)[code] ?? code,
  said: ({ en = "" }) => en,
  isTerminal: true,
};

/** A line to type. */
export function typed(line: string, { isTerminal }: Format): string {
  return isTerminal ? `\`${line}\`` : line;
}

/** Seconds from which on days are easier to read. */
const severalDays = 2 * 86_400;

/** `2000 s`, `0.300 s`, `41.2 days`. */
function spanInSeconds(seconds: number): string {
  const [size, unit] = seconds >= severalDays ? [seconds / 86_400, "days"] : [seconds, "s"];
  return `${size >= 100 ? size.toFixed(0) : size.toPrecision(3)} ${unit}`;
}
