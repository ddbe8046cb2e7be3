import {
  agreedOverlap,
  type Interval,
  intervalOf,
  placeOf,
  type Range,
  rangeOfSources,
  withMargin,
} from "../../contract/clock/source-intervals.ts";
import type { TimeSource } from "../../contract/types.ts";
import { escapeText } from "../../terminal/escape.ts";
import { axisLabels, formatOffset, formatSpan } from "../../terminal/time-figures.ts";

/** The marks of chronyc, where it has one. */
const marks: Readonly<Record<TimeSource["state"], string>> = {
  selected: "*",
  candidate: "+",
  outlier: "~",
  falseticker: "x",
  suspect: "s",
  unreachable: "?",
  kod: "!",
  unused: ".",
};

/** The one scale of all bars: from `low` to `high` (s) in `columns` places. */
interface Axis extends Range {
  readonly columns: number;
}

/** Share of the span that stays free at each end. */
const margin = 0.06;

/** Places of a bar: with a name and the mark a line stays within 80. */
const barColumns = 46;

/** Places of a host's name: a longer one loses its middle, so that a port stays visible. */
const nameColumns = 28;

const legend = "0 this clock   + ahead of it";
const zoneLegend = `${legend}   = where those that agree overlap`;

/** The sources as lines: their figures, and each interval on one axis. Safe in a terminal, ASCII but for the names. */
export function drawSources(sources: readonly TimeSource[]): string[] {
  if (sources.length === 0) return [];
  return [...figureLines(sources), ...pictureLines(sources)];
}

function figureLines(sources: readonly TimeSource[]): string[] {
  const width = nameWidth(sources);
  const line = (mark: string, cells: readonly [string, string, string, string, string, string]): string => {
    const [name, stratum, reach, offset, uncertainty, state] = cells;
    const figures = [stratum.padStart(2), reach.padStart(5), offset.padStart(9), uncertainty.padStart(10)];
    return `${mark} ${name.padEnd(width)}  ${figures.join("  ")}  ${state}`;
  };
  return [
    line(" ", ["SOURCE", "ST", "REACH", "OFFSET", "+-", "STATE"]),
    ...sources.flatMap((source) => [
      line(marks[source.state], [
        nameOf(source),
        String(source.stratum ?? "-"),
        source.reach?.toString(8) ?? "-",
        source.offset_seconds === null ? "-" : formatOffset(source.offset_seconds),
        source.uncertainty_seconds === null ? "-" : formatSpan(source.uncertainty_seconds),
        source.state,
      ]),
      ...detailLines(source),
    ]),
  ];
}

/** A second line: the address behind a name, that its time is authenticated, and the reason for the state of the source. */
function detailLines({ host, address, authenticated, reason }: TimeSource): string[] {
  const isNews = address !== null && !host.includes(address);
  const facts = [...(isNews ? [address] : []), ...(authenticated ? ["authenticated"] : [])].join(", ");
  const words = [...(facts === "" ? [] : [facts]), ...(reason === null ? [] : [reason.detail])];
  return words.length === 0 ? [] : [`    ${escapeText(words.join(": "))}`];
}

function pictureLines(sources: readonly TimeSource[]): string[] {
  const range = rangeOfSources(sources);
  if (range === null) return [];
  const axis = { ...withMargin(range, margin), columns: barColumns };
  const width = nameWidth(sources);
  const zone = agreedOverlap(sources);
  const drawn = sources.flatMap((source) => {
    const interval = intervalOf(source);
    const bar = interval && drawBar(axis, interval, marks[source.state], zone);
    return bar === null ? [] : [`${marks[source.state]} ${nameOf(source).padEnd(width)}  [${bar}]`];
  });
  const indent = " ".repeat(width + 4);
  return [
    "",
    ...drawn,
    ...scaleLines(axis, zone).map((line) => `${indent}${line}`.trimEnd()),
    "",
    zone ? zoneLegend : legend,
  ];
}

/** `    |----*----|   `: ends, offset, the agreed zone's edges; `<<` or `>>` for an interval beyond the axis. */
export function drawBar(axis: Axis, interval: Interval, mark: string, zone: Range | null): string {
  const { columns } = axis;
  const cells = Array.from({ length: columns }, () => " ");
  const put = (column: number, glyph: string): void => {
    if (column >= 0 && column < columns) cells[column] = glyph;
  };
  if (zone) for (const edge of [zone.low, zone.high]) put(columnOf(axis, edge), ":");
  const [low, high] = [columnOf(axis, interval.low), columnOf(axis, interval.high)];
  if (high < 0) return `<<${cells.slice(2).join("")}`;
  if (low >= columns) return `${cells.slice(0, -2).join("")}>>`;
  for (let column = Math.max(0, low); column <= Math.min(columns - 1, high); column += 1) put(column, "-");
  put(low, "|");
  put(high, "|");
  put(columnOf(axis, interval.middle), mark);
  if (low < 0) put(0, "<");
  if (high >= columns) put(columns - 1, ">");
  return cells.join("");
}

/** The scale: the place of this clock, the agreed zone, and the values of the ends. */
function scaleLines(axis: Axis, zone: Range | null): string[] {
  const { low, high, columns } = axis;
  const cells = Array.from({ length: columns }, () => "-");
  const zero = columnOf(axis, 0);
  if (zone) {
    for (let column = columnOf(axis, zone.low); column <= columnOf(axis, zone.high); column += 1) {
      if (column >= 0 && column < columns) cells[column] = "=";
    }
  }
  if (zero >= 0 && zero < columns) cells[zero] = "0";
  const label = axisLabels(low, high);
  const ends = [label(low), label(high)] as const;
  const ruler = `${zero < 0 ? "0" : "+"}${cells.join("")}${zero >= columns ? "0" : "+"}`;
  return [ruler, `${ends[0]}${ends[1].padStart(columns + 2 - ends[0].length)}`];
}

/** The place of an offset on the axis, from 0; beyond its ends negative or at least `columns`. */
function columnOf(axis: Axis, seconds: number): number {
  return Math.round(placeOf(axis, seconds) * (axis.columns - 1));
}

function nameWidth(sources: readonly TimeSource[]): number {
  return Math.max("SOURCE".length, ...sources.map((source) => nameOf(source).length));
}

function nameOf({ host }: TimeSource): string {
  const name = escapeText(host);
  if (name.length <= nameColumns) return name;
  const kept = nameColumns - 3;
  return `${name.slice(0, Math.ceil(kept / 2))}...${name.slice(name.length - Math.floor(kept / 2))}`;
}
