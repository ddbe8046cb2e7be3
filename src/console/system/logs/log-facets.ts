import type { LogCounts, SeverityWord } from "../../../contract/types.ts";

type Units = LogCounts["units"];

/** The gravest first, as in the contract, whose schemas cost kilobytes. */
const levels: readonly SeverityWord[] = [
  "emerg",
  "alert",
  "crit",
  "err",
  "warning",
  "notice",
  "info",
  "debug",
];

/**
 * The levels that tell lines apart, of the chosen unit or of all: those that have lines, but for the least grave one,
 * which all lines are of. The chosen level is always among them. The count is of lines of a level and graver ones.
 */
export function levelsOf(
  units: Units,
  { unit, priority }: { readonly unit: string; readonly priority: string },
): readonly { readonly level: SeverityWord; readonly count: number }[] {
  const counted = Object.keys(units)
    .filter((name) => unit === "" || name === unit)
    .map((name) => units[name] ?? {});
  const has = (level: SeverityWord) => counted.some((lines) => (lines[level] ?? 0) > 0);
  const least = levels.findLast(has);
  return levels
    .filter((level) => level === priority || (has(level) && level !== least))
    .map((level) => ({ level, count: sum(counted.map((lines) => upTo(lines, level))) }));
}

export type UnitCount = ReturnType<typeof unitsOf>[number];

/**
 * The units with lines of the chosen level, and the chosen unit: those with the most errors first, then those with the
 * most lines. The order does not hang on the level, so that no unit moves away from under a finger. `count`: lines of the
 * level and graver ones; `errors`: whatever level is chosen.
 */
export function unitsOf(
  units: Units,
  { unit: chosen, priority }: { readonly unit: string; readonly priority: string },
) {
  const least = levels.find((level) => level === priority) ?? "debug";
  const known = chosen === "" || Object.hasOwn(units, chosen) ? units : { ...units, [chosen]: {} };
  return Object.entries(known)
    .map(([unit, lines]) => ({ unit, lines, errors: upTo(lines, "err") }))
    .sort(
      (a, b) =>
        b.errors - a.errors ||
        upTo(b.lines, "debug") - upTo(a.lines, "debug") ||
        a.unit.localeCompare(b.unit),
    )
    .map(({ unit, lines, errors }) => ({ unit, errors, count: upTo(lines, least) }))
    .filter(({ unit, count }) => count > 0 || unit === chosen);
}

function upTo(lines: Units[string], level: SeverityWord): number {
  return sum(levels.slice(0, levels.indexOf(level) + 1).map((one) => lines[one] ?? 0));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
