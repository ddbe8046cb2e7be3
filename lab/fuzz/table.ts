import type { Report } from "./ledger.ts";

/** A line for each target; the outcomes, the commonest first, on the lines below it. */
export function tableOf(reports: readonly (readonly [name: string, report: Report])[]): string {
  const head = `${"target".padEnd(10)}${"cases".padStart(9)}${"findings".padStart(10)}${"peak MiB".padStart(10)}`;
  const rows = reports.flatMap(([name, { cases, findings, peakMiB, outcomes, notes }]) => [
    `${name.padEnd(10)}${String(cases).padStart(9)}${String(findings.length).padStart(10)}${peakMiB.toFixed(0).padStart(10)}`,
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
