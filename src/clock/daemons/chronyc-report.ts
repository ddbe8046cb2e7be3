/** A line of `chronyc -c sources`. */
export type ChronySource = NonNullable<ReturnType<typeof parseSource>>;

export type ChronycReport = NonNullable<ReturnType<typeof parseChronyc>>;

/** Fields of a line of each command; they tell the commands apart. Checked with chrony 4.3; the same since 2.2. */
const fieldCounts = { tracking: 14, sources: 10, statistics: 8 };

/** The age that chronyc prints where there is no sample: 2^32 − 1. */
const never = "4294967295";

/** Characters of a figure: chronyc's longest, a time in nanoseconds, has 20. A number of so many digits is finite. */
const mostFigureCharacters = 24;

/** Log2 of seconds: the range that chronyd allows (chrony.conf(5), minpoll and maxpoll). */
const polls = { least: -7, most: 24 } as const;

/** RFC 5905 §7.3; 0 before the first answer. */
const mostStratum = 16;

const leapWords = ["Normal", "Insert second", "Delete second", "Not synchronised"] as const;

/** The output of `chronyc -c -n -m tracking sources sourcestats`. null: one part has an unknown format, so none counts. */
export function parseChronyc(output: string) {
  const rows = output
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split(","));
  const counts: readonly number[] = Object.values(fieldCounts);
  if (rows.some(({ length }) => !counts.includes(length))) return null;
  const of = (count: number) => rows.filter(({ length }) => length === count);
  const tracking = of(fieldCounts.tracking).map(parseTracking);
  const sources = of(fieldCounts.sources).map(parseSource);
  const statistics = of(fieldCounts.statistics).map(parseStatistics);
  const [first] = tracking;
  if (tracking.length !== 1 || first === undefined || first === null) return null;
  if (!isWhole(sources) || !isWhole(statistics)) return null;
  return { tracking: first, sources, statistics };
}

function isWhole<T>(rows: (T | null)[]): rows is T[] {
  return !rows.includes(null);
}

/** `chronyc -c tracking`, in the order of its 14 fields, without the unused ones; seconds. */
function parseTracking(fields: readonly string[]) {
  const [refid = "", , , time, offset, , , frequency, , , rootDelay, rootDispersion, , leapWord] = fields;
  const leap = leapWords.find((word) => word === leapWord);
  const numbers = [time, offset, frequency, rootDelay, rootDispersion].map(decimal);
  if (!/^[0-9A-F]{8}$/.test(refid) || leap === undefined || !isWhole(numbers)) return null;
  const [
    referenceTimeSeconds = 0,
    offsetSeconds = 0,
    frequencyPpm = 0,
    rootDelaySeconds = 0,
    dispersion = 0,
  ] = numbers;
  return {
    /** 8 hex digits: what this host names as its source. */
    refid: refid.toLowerCase(),
    /** Seconds since 1970 of the last measurement that was used; 0: none. */
    referenceTimeSeconds,
    /** Positive: the host is behind. chronyc's text form says `slow` then; the other offsets of chronyc have the opposite sign. */
    offsetSeconds,
    /** Positive: the oscillator is fast, and chronyd slows the clock down. */
    frequencyPpm,
    rootDelaySeconds,
    rootDispersionSeconds: dispersion,
    leap,
  };
}

function parseSource(fields: readonly string[]) {
  const [mode = "", state = "", name = "", stratum, poll, reachText = "", age = "", ...measured] = fields;
  if (!/^[\^=#]$/.test(mode) || !/^[*+\-x~?]$/.test(state) || !isName(name)) return null;
  // The reach register is printed in octal digits, as ntpq does.
  if (!/^[0-3]?[0-7]{1,2}$/.test(reachText) || !/^\d{1,20}$/.test(age)) return null;
  const numbers = [stratum, poll, ...measured].map(decimal);
  if (!isWhole(numbers)) return null;
  const [stratumNumber = 0, pollNumber = 0, offsetSeconds = 0, , errorSeconds = 0] = numbers;
  if (!Number.isInteger(stratumNumber) || stratumNumber < 0 || stratumNumber > mostStratum) return null;
  if (!Number.isInteger(pollNumber) || pollNumber < polls.least || pollNumber > polls.most) return null;
  return {
    /** `^` a server, `=` a peer, `#` a reference clock. */
    mode,
    /** `*` selected, `+` combined, `-` selectable, `x` falseticker, `~` too variable, `?` not selectable. */
    state,
    /** An address with -n; four characters of a reference clock. */
    name,
    stratum: stratumNumber,
    /** Log2 of seconds. */
    poll: pollNumber,
    reach: Number.parseInt(reachText, 8),
    /** null: it never answered. The offset is of chronyd's own time; positive: chronyd is **ahead** of the source. */
    last: age === never ? null : { offsetSeconds, errorSeconds },
  };
}

/** A line of `chronyc -c sourcestats`. */
function parseStatistics(fields: readonly string[]) {
  const [name = "", ...rest] = fields;
  const numbers = rest.map(decimal);
  if (!isName(name) || !isWhole(numbers)) return null;
  const [samples = 0, , , , , , deviationSeconds = 0] = numbers;
  return { name, samples, deviationSeconds };
}

/** An address, a reference clock's id, or chronyc's name for a source of unknown address. */
export function isName(text: string): boolean {
  return /^[\x21-\x7e]{1,128}$/.test(text);
}

function decimal(text: string | undefined): number | null {
  if (text === undefined || text.length > mostFigureCharacters) return null;
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : null;
}
