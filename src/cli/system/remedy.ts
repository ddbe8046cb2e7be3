import type { Remedy } from "../../contract/finding.ts";

const timeWords = "TIME is the present time in UTC, from a watch, such as 2026-11-22T14:03:00Z.";

/** The line to type, and what a person should know before. */
export function remedyLines(remedy: Remedy | null): string[] {
  if (remedy === null) return [];
  const loss = remedy.deletes === null ? [] : [`It deletes ${remedy.deletes}.`];
  const time = remedy.line.endsWith(" TIME") ? [timeWords] : [];
  return [`> ${remedy.line}`, ...loss, ...time];
}
