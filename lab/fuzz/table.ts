import { linesOf } from "../basics/table.ts";
import type { Report } from "./ledger.ts";

/** A line for each target; the outcomes, the commonest first, on the lines below it. */
export function tableOf(reports: readonly (readonly [name: string, report: Report])[]): string {
  const [head = "", ...lines] = linesOf([
    ["target", "cases", "findings", "peak MiB"],
    ...reports.map(([name, { cases, findings, peakMiB }]) => [
      name,
      cases,
      findings.length,
      Math.round(peakMiB),
    ]),
  ]);
  const rows = reports.flatMap(([, { outcomes, notes }], index) => [
    lines[index],
    ...[...wrapped(outcomes), ...notes].map((line) => `  ${line}`),
  ]);
  return [head, ...rows].join("\n");
}

function wrapped(outcomes: Readonly<Record<string, number>>): string[] {
  const lines: string[] = [];
  for (const [outcome, count] of Object.entries(outcomes).toSorted(([, one], [, other]) => other - one)) {
    const text = `${outcome} ${count}`;
    const last = lines.at(-1);
    if (last !== undefined && last.length + text.length < 110) lines[lines.length - 1] = `${last}, ${text}`;
    else lines.push(text);
  }
  return lines;
}
