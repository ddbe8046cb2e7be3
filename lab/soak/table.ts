import { linesOf } from "../basics/table.ts";
import type { Slope } from "./slope.ts";
import type { Row } from "./tally.ts";

/** The resources of an agent's process from the end of the warm-up on. */
export interface Usage {
  readonly name: string;
  /** MiB after a collection: what V8 holds, and all anonymous pages of the process. */
  readonly held: Slope;
  readonly anonymous: Slope;
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
  const lines = linesOf([
    ["caller", ...columns],
    ...rows.map((row) => [row.caller, ...columns.map((name) => row[name])]),
  ]);
  const { name, held, anonymous, files, mostMiB } = usage;
  const told = [
    `what ${name} holds after each collection: ${slopeIn(held, "MiB")}`,
    `anonymous memory of ${name}: ${slopeIn(anonymous, "MiB")}; at most ${mostMiB.toFixed(1)} MiB`,
    `open files of ${name}: ${slopeIn(files, "files")}`,
  ];
  return [...lines, "", ...told, ...facts.map(([what, count]) => `${what}: ${count}`)].join("\n");
}

function slopeIn({ last, perHour, plusMinus }: Slope, unit: string): string {
  return `${last.toFixed(1)} ${unit} at the end, slope ${signed(perHour)} ± ${plusMinus.toFixed(1)} an hour`;
}

function signed(value: number): string {
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}`;
}
