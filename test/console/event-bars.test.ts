import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { barsOf, edgesOf, type Step, stepOfSpan, steps } from "../../src/console/system/events/bars.ts";
import type { EventCounts } from "../../src/contract/types.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Counts of the spans, without refusals. */
function counted(...counts: readonly number[]): EventCounts {
  const total = counts.reduce((sum, count) => sum + count, 0);
  return { total, refused: 0, groups: {}, spans: counts.map((count) => ({ count, refused: 0 })) };
}

const local = (text: string) => new Date(text).getTime();
const texts = (edges: readonly number[]) => edges.map((at) => new Date(at).toLocaleString("sv"));
const stepOf = (milliseconds: number) => steps.find((step) => step.milliseconds === milliseconds) as Step;

describe("the bars of events", () => {
  const zone = process.env.TZ;
  after(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });
  before(() => {
    // A zone that puts its clocks forward at night: on 28 March 2027 the day has 23 hours.
    process.env.TZ = "Europe/Berlin";
  });

  for (const [name, milliseconds, from, to, expected] of [
    [
      ...["days, of 23 hours too", day, "2027-03-27T12:00", "2027-03-29T01:00"],
      ["2027-03-27 00:00:00", "2027-03-28 00:00:00", "2027-03-29 00:00:00", "2027-03-30 00:00:00"],
    ],
    [
      ...["weeks, from Monday on", 7 * day, "2027-03-27T12:00", "2027-03-31T01:00"],
      ["2027-03-22 00:00:00", "2027-03-29 00:00:00", "2027-04-05 00:00:00"],
    ],
    [
      ...["a week up to its Sunday", 7 * day, "2027-03-22T00:00", "2027-03-28T23:00"],
      ["2027-03-22 00:00:00", "2027-03-29 00:00:00"],
    ],
    // Each of them three hours long, so that what follows the lost hour begins an hour later.
    [
      ...["three hours each", 3 * hour, "2027-03-28T00:30", "2027-03-28T08:00"],
      ["2027-03-28 00:00:00", "2027-03-28 04:00:00", "2027-03-28 07:00:00", "2027-03-28 10:00:00"],
    ],
  ] as [string, number, string, string, string[]][])
    it(`begin where they should: ${name}`, () =>
      assert.deepEqual(texts(edgesOf(stepOf(milliseconds), local(from), local(to))), expected));

  it("are never more than the agent counts, and none is before 1970", () => {
    const weeks = edgesOf(stepOf(7 * day), 0, local("2026-11-27T12:00"));
    assert.equal(weeks.length, 64);
    assert.ok(weeks.every((at, index) => at > (weeks[index - 1] ?? 0)));
    assert.deepEqual(edgesOf(stepOf(day), -5 * day, hour)[0], 0);
  });

  it("are as short as the width allows", () => {
    const at = local("2026-11-27T12:00");
    const widths = [30, 11].map((most) =>
      [hour, 6 * hour, day, 7 * day, 30 * day, 400 * day].map(
        (span) => stepOfSpan(at - span, at, most).milliseconds / minute,
      ),
    );
    assert.deepEqual(widths, [
      [5, 15, 60, 1_440, 1_440, 10_080],
      [15, 60, 180, 1_440, 10_080, 10_080],
    ]);
  });

  it("have their counts, those of open ends where there are any, and are none without events", () => {
    const bar = (from: number | null, to: number | null, count: number) => ({ from, to, count, refused: 0 });
    const edges = [day, 2 * day, 3 * day];
    assert.deepEqual(barsOf(edges, counted(0, 0, 4, 0)), [bar(day, 2 * day, 0), bar(2 * day, 3 * day, 4)]);
    assert.deepEqual(barsOf(edges, counted(1, 0, 0, 2)), [
      ...[bar(null, day, 1), bar(day, 2 * day, 0), bar(2 * day, 3 * day, 0), bar(3 * day, null, 2)],
    ]);
    assert.deepEqual(barsOf(edges, counted(0, 0, 0, 0)), []);
  });
});
