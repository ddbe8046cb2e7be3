import { historySeriesNames, historySpans } from "../../contract/figures/history.ts";
import type { History } from "../../contract/types.ts";
import { formatTable } from "../../terminal/table.ts";
import { formatLag, formatSpan } from "../../terminal/time-figures.ts";
import type { Command } from "../client/command.ts";

export const history: Command = {
  path: ["history"],
  summary: "Show clock, disk, memory, load and temperature over the last day or week",
  examples: [
    { line: "steward history --hours 168", what: "when did it become hot, slow or full?" },
    { line: "steward history --hours 168 --csv > history.csv", what: "the same for a spreadsheet" },
  ],
  options: [
    { name: "hours", value: "HOURS", values: historySpans.map(String), summary: "a day (default) or a week" },
    {
      name: "csv",
      excludes: "output",
      summary: "every five minutes on a line: its time, and mean and worst of each figure",
    },
  ],
  worksOffline: true,
  async run({ options, client, output }) {
    const hours = historySpans.find((span) => String(span) === options.text("hours")) ?? historySpans[0];
    const document = await client.call("getHistory", { query: { hours } });
    if (options.has("csv")) return output.text(csvOf(document));
    await output.report(document, reportOf(document));
  },
};

interface Wording {
  readonly title: string;
  readonly say: (figure: number) => string;
  /** By which the least and the most are found. */
  readonly sizeOf: (figure: number) => number;
}

const size = (figure: number): number => figure;
const percent = (ratio: number): string => `${(ratio * 100).toFixed(1)} %`;

const wordings: Readonly<Record<(typeof historySeriesNames)[number], Wording>> = {
  clock_offset_seconds: { title: "clock offset", say: formatLag, sizeOf: Math.abs },
  clock_uncertainty_seconds: { title: "clock uncertainty", say: formatSpan, sizeOf: size },
  disk_used_ratio: { title: "disk used", say: percent, sizeOf: size },
  memory_used_ratio: { title: "memory used", say: percent, sizeOf: size },
  load: { title: "load", say: (load) => load.toFixed(2), sizeOf: size },
  temperature_celsius: { title: "temperature", say: (celsius) => `${celsius.toFixed(1)} °C`, sizeOf: size },
};

/** For people: a line a series, whose figures are the latest, the least and the most, with their times. */
function reportOf({ start, step_seconds, series }: History): string {
  const momentOf = (step: number) =>
    `${new Date(Date.parse(start) + step * step_seconds * 1_000).toISOString().slice(0, 16)}Z`;
  const rows = historySeriesNames.map((name) => {
    const { title, say, sizeOf } = wordings[name];
    const { mean, worst } = series[name];
    const last = mean.findLast((figure) => figure !== null);
    if (last === undefined) return [title, "not known"];
    const [least, most] = [extremeOf(mean, (one) => -sizeOf(one)), extremeOf(worst, sizeOf)];
    return [title, say(last), ...[least, most].flatMap(({ figure, step }) => [say(figure), momentOf(step)])];
  });
  const heads = ["figure", "last", "least", "at", "most", "at"];
  return `${momentOf(0)} to ${momentOf(series.load.mean.length)}, in UTC\n\n${formatTable({ heads, rows })}`;
}

/** The greatest by size, the latest of equals, with the number of its step. */
function extremeOf(figures: readonly (number | null)[], sizeOf: (figure: number) => number) {
  let found = { figure: Number.NaN, step: 0 };
  figures.forEach((figure, step) => {
    if (figure !== null && !(sizeOf(figure) < sizeOf(found.figure))) found = { figure, step };
  });
  return found;
}

/** RFC 4180, with line feeds for line ends; a figure that is not known is empty. */
function csvOf({ start, step_seconds, series }: History): string {
  const heads = historySeriesNames.flatMap((name) => [name, `${name}_worst`]);
  const columns = historySeriesNames.flatMap((name) => [series[name].mean, series[name].worst]);
  const rows = series.load.mean.map((_, step) => {
    const time = new Date(Date.parse(start) + step * step_seconds * 1_000).toISOString();
    return [time, ...columns.map((column) => column[step] ?? "")].join(",");
  });
  return `${[["time", ...heads].join(","), ...rows].join("\n")}\n`;
}
