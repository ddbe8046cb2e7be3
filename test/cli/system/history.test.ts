import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { historySeriesNames } from "../../../src/contract/figures/history.ts";
import type { History } from "../../../src/contract/types.ts";
import { ended, ends } from "../fixture.ts";

const none: (number | null)[] = Array.from({ length: 288 }, () => null);

/** A day in which only what is named is known; the worst are the means. */
const dayOf = (known: Partial<Record<keyof History["series"], (number | null)[]>>): History => ({
  start: "2026-11-20T14:00:00.000Z",
  step_seconds: 300,
  series: Object.fromEntries(
    historySeriesNames.map((name) => [name, { mean: known[name] ?? none, worst: known[name] ?? none }]),
  ) as History["series"],
});

describe("steward history", { concurrency: true }, () => {
  it("lists each figure, with the last, the least and the most and their times", async (test) => {
    const rising = none.map((_, step) => step / 10);
    const halves: (number | null)[] = none.map((_, step) => (step < 144 ? 0.001 : -0.002));
    const day = dayOf({ temperature_celsius: rising, clock_offset_seconds: halves.with(287, null) });
    day.series.clock_offset_seconds.worst = halves.with(100, -0.004);
    const { stdout } = await ended(test, "history", { "GET /api/history": { body: day } });
    assert.deepEqual(stdout.split("\n"), [
      "2026-11-20T14:00Z to 2026-11-21T14:00Z, in UTC",
      "",
      "figure             last           least           at                 most           at",
      "clock offset       2.00 ms ahead  1.00 ms behind  2026-11-21T01:55Z  4.00 ms ahead  2026-11-20T22:20Z",
      ...["clock uncertainty  not known", "disk used          not known", "memory used        not known"],
      "load               not known",
      "temperature        28.7 °C        0.0 °C          2026-11-20T14:00Z  28.7 °C        2026-11-21T13:55Z",
      "",
    ]);
  });

  it("prints every step for a spreadsheet with --csv", async (test) => {
    const load = none.map((_, step) => (step === 1 ? null : 0.25));
    const answers = { "GET /api/history": { body: dayOf({ load }) } };
    const { stdout } = await ended(test, "history --csv", answers);
    const lines = stdout.split("\n");
    assert.equal(lines.length, 290);
    assert.equal(lines[0], `time,${historySeriesNames.map((name) => `${name},${name}_worst`).join(",")}`);
    assert.deepEqual(lines.slice(1, 3), [
      "2026-11-20T14:00:00.000Z,,,,,,,,,0.25,0.25,,",
      "2026-11-20T14:05:00.000Z,,,,,,,,,,,,",
    ]);
    assert.equal(lines.at(-1), "");
  });

  for (const [line, code, asked] of [
    ["history", 0, ["GET /api/history?hours=24"]],
    ["history --hours 168", 0, ["GET /api/history?hours=168"]],
    // No other span, and one form at a time.
    ["history --hours 48", 2, []],
    ["history --csv -o json", 2, []],
  ] as const)
    it(`asks for ${asked.join() || "nothing"} at ${line}`, (test) =>
      ends(test, line, { "GET /api/history": { body: dayOf({}) } }, { code, asked }));
});
