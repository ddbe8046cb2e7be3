/** The outcomes of the requests of each kind of caller. */
export type Tally = ReturnType<typeof createTally>;

/** A line of the table. */
export interface Row {
  readonly caller: string;
  requests: number;
  succeeded: number;
  /** Refusals that had to come. */
  refused: number;
  away: number;
  unexpected: number;
}

/** Characters of an answer that was not expected. */
const longestText = 300;

export function createTally() {
  const rows = new Map<string, Row>();
  const unexpected = new Map<string, number>();
  const rowOf = (caller: string): Row => {
    const row = rows.get(caller) ?? { caller, requests: 0, succeeded: 0, refused: 0, away: 0, unexpected: 0 };
    rows.set(caller, row);
    return row;
  };
  const wrong = (caller: string, what: string): void => {
    rowOf(caller).unexpected += 1;
    const text = `${caller}: ${what}`.slice(0, longestText);
    unexpected.set(text, (unexpected.get(text) ?? 0) + 1);
  };
  return {
    /** Counts what has gone wrong otherwise. */
    wrong,
    /** Counts an answer; one whose status is none of `expected` is kept with its words. */
    count: (
      caller: string,
      { what, status, text }: { what: string; status: number; text: string },
      expected: readonly number[],
    ): void => {
      const row = rowOf(caller);
      row.requests += 1;
      if (!expected.includes(status)) {
        // Parts that differ each time are removed, so that the same fault is one.
        const words = ["code", "reason"].map(
          (name) => new RegExp(`"${name}":"(\\w+)"`).exec(text)?.[1] ?? "",
        );
        wrong(caller, `${what} was answered ${status} ${words.join(" ")}`);
      } else if (status < 400) row.succeeded += 1;
      else row.refused += 1;
    },
    /** A request that met an agent which was being restarted. */
    away: (caller: string): void => {
      rowOf(caller).requests += 1;
      rowOf(caller).away += 1;
    },
    rows: (): readonly Row[] => [...rows.values()],
    /** The first of what was not expected, and how often it came. */
    unexpected: (): readonly string[] =>
      [...unexpected].map(([what, count]) => `${what}${count > 1 ? ` (${count} times)` : ""}`),
  };
}
