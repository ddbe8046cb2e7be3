import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  barsOf,
  edgesOf,
  type Step,
  stepOfSpan,
  stepOfWhole,
  steps,
  windowEdges,
} from "../../src/console/system/events/bars.ts";
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

  it("begin at midnight, on Mondays, on the first of a month, and in January, also where a day has 23 hours", () => {
    const edges = (milliseconds: number, from: string, to: string) =>
      texts(edgesOf(stepOf(milliseconds), local(from), local(to)));
    assert.deepEqual(edges(day, "2027-03-27T12:00", "2027-03-29T01:00"), [
      ...["2027-03-27 00:00:00", "2027-03-28 00:00:00", "2027-03-29 00:00:00", "2027-03-30 00:00:00"],
    ]);
    assert.deepEqual(edges(7 * day, "2027-03-27T12:00", "2027-03-31T01:00"), [
      ...["2027-03-22 00:00:00", "2027-03-29 00:00:00", "2027-04-05 00:00:00"],
    ]);
    assert.deepEqual(edges(30.4 * day, "2026-12-31T12:00", "2027-01-01T01:00"), [
      ...["2026-12-01 00:00:00", "2027-01-01 00:00:00", "2027-02-01 00:00:00"],
    ]);
    assert.deepEqual(edges(365.25 * day, "2026-12-31T12:00", "2027-01-01T01:00"), [
      ...["2026-01-01 00:00:00", "2027-01-01 00:00:00", "2028-01-01 00:00:00"],
    ]);
    // Each of them three hours long, so that what follows the lost hour begins an hour later.
    assert.deepEqual(edges(3 * hour, "2027-03-28T00:30", "2027-03-28T08:00"), [
      ...["2027-03-28 00:00:00", "2027-03-28 04:00:00", "2027-03-28 07:00:00", "2027-03-28 10:00:00"],
    ]);
  });

  it("are never more than the agent counts, and none is before 1970", () => {
    const years = edgesOf(stepOf(365.25 * day), 0, local("2026-11-27T12:00"));
    assert.ok(years.length <= 64 && years.every((at, index) => at >= 0 && at > (years[index - 1] ?? -1)));
    const old = windowEdges(local("1990-06-01T00:00"), 30);
    assert.ok(
      old.every((at, index) => at >= 0 && at > (old[index - 1] ?? -1)),
      `${old}`,
    );
  });

  it("are as short as the width allows", () => {
    const at = local("2026-11-27T12:00");
    const widths = [30, 11].map((most) =>
      [hour, 6 * hour, day, 7 * day, 30 * day, 400 * day].map(
        (span) => stepOfSpan(at - span, at, most).milliseconds / minute,
      ),
    );
    assert.deepEqual(widths, [
      [5, 15, 60, 1_440, 1_440, 43_776],
      [15, 60, 180, 1_440, 10_080, 525_960],
    ]);
  });

  it("show the whole record as closely as nearly all of it allows: one event of 1970 does not make them years", () => {
    const whole = (...counts: readonly number[]) => stepOfWhole(counted(...counts)).milliseconds / day;
    // Older than 30 years, years, months, weeks, days, three hours, and the last hours.
    assert.equal(whole(0, 0, 0, 0, 0, 0, 9), 1 / 24);
    assert.equal(whole(0, 0, 0, 0, 0, 9, 0), 1 / 8);
    assert.equal(whole(0, 0, 0, 0, 9, 0, 0), 1);
    assert.equal(whole(1, 0, 0, 0, 150, 0, 0), 1);
    assert.equal(whole(2, 0, 0, 0, 150, 0, 0), 365.25);
    assert.equal(whole(0, 0, 9, 0, 0, 0, 0), 30.4);
    assert.equal(windowEdges(local("2026-11-27T12:00"), 30).length, 6);
  });

  it("leave out what is empty before the first event of the whole record, but for a dozen, and open ends that are empty", () => {
    const edges = Array.from({ length: 20 }, (_, index) => (index + 1) * day);
    const bars = (isWhole: boolean, counts: Readonly<Record<number, number>>) =>
      barsOf(edges, counted(...Array.from({ length: 21 }, (_, index) => counts[index] ?? 0)), isWhole);
    const ends = (isWhole: boolean, counts: Readonly<Record<number, number>>) => {
      const found = bars(isWhole, counts);
      return [found.length, found[0]?.from, found.at(-1)?.to];
    };
    assert.deepEqual(ends(true, { 5: 1, 19: 4 }), [15, 5 * day, 20 * day]);
    assert.deepEqual(ends(true, { 19: 4 }), [12, 8 * day, 20 * day]);
    assert.deepEqual(ends(false, { 19: 4 }), [19, day, 20 * day]);
    assert.deepEqual(ends(true, { 0: 1, 20: 2 }), [21, null, null]);
    assert.deepEqual(bars(true, {}), []);
    assert.deepEqual(bars(false, {}), []);
    assert.deepEqual(bars(true, { 19: 4 }).at(-1), { from: 19 * day, to: 20 * day, count: 4, refused: 0 });
  });
});
