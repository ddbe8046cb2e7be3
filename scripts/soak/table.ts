import type { Slope } from "./slope.ts";
import type { Row } from "./tally.ts";

/** What an agent's process took from the end of the warm-up on. */
export interface Usage {
  readonly name: string;
  readonly rss: Slope;
  readonly files: Slope;
  readonly mostMiB: number;
}

/** The callers' requests, the agent's memory and files, and what it went through. */
export function tableOf(
  rows: readonly Row[],
  usage: Usage,
  facts: readonly (readonly [string, number])[],
): string {
  const columns = ["requests", "succeeded", "refused", "away", "unexpected"] as const;
  const head = `${"caller".padEnd(12)}${columns.map((name) => name.padStart(12)).join("")}`;
  const lines = rows.map(
    (row) => `${row.caller.padEnd(12)}${columns.map((name) => String(row[name]).padStart(12)).join("")}`,
  );
  const { rss, files, mostMiB } = usage;
  const told = [
    `memory of ${usage.name}: ${rss.last.toFixed(1)} MiB at the end, at most ${mostMiB.toFixed(1)}; slope ${signed(rss.perHour)} ± ${rss.plusMinus.toFixed(1)} MiB an hour`,
    `open files of ${usage.name}: ${files.last.toFixed(1)} at the end; slope ${signed(files.perHour)} ± ${files.plusMinus.toFixed(1)} an hour`,
  ];
  return [head, ...lines, "", ...told, ...facts.map(([what, count]) => `${what}: ${count}`)].join("\n");
}

function signed(value: number): string {
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}`;
}
