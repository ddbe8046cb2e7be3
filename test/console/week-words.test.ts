import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import * as base from "../../src/console/catalogue/languages/en/base.ts";
import * as english from "../../src/console/catalogue/languages/en/records.ts";
import { putTexts } from "../../src/console/catalogue/words.ts";
import { dayInWords } from "../../src/console/system/history/figure-words.ts";
import { daysUntilFull } from "../../src/console/system/history/forecast.ts";

const day = 86_400_000;

/** Steps of half an hour in a day. */
const perDay = 48;

/** A week in half hours, by the days since its begin. */
const weekOf = (share: (days: number) => number | null): (number | null)[] =>
  Array.from({ length: 7 * perDay }, (_, step) => share(step / perDay));

/** Without a visible period, within ±1. */
const noise = (days: number): number => Math.sin(days * 977) * Math.sin(days * 353);

/** The rest over the rise of a day, where the rise is steady: 62 % and 2 % a day leave 24 % after a week. null: none is made. */
const forecasts: readonly (readonly [string, (days: number) => number | null, number | null])[] = [
  ["a steady rise", (days) => 0.62 + 0.02 * days, 12],
  ["a rise with noise", (days) => 0.62 + 0.02 * days + 0.005 * noise(days), 12],
  ["a rise to 99.7 %", (days) => 0.85 + 0.021 * days, 1],
  ["a copy each night", (days) => 0.62 + 0.02 * Math.floor(days + 0.5), 12],
  ["days with a gap", (days) => (days > 1.5 && days < 3 ? null : 0.62 + 0.02 * days), 12],
  ["the least of days", (days) => (days < 3.9 ? null : 0.62 + 0.02 * days), 12],
  ["no rise", () => 0.7, null],
  ["a fall", (days) => 0.7 - 0.02 * days, null],
  ["a rise that fills it only after months", (days) => 0.7 + 0.005 * days, null],
  ["noise", (days) => 0.7 + 0.02 * noise(days), null],
  ["no reading", () => null, null],
  ...[0.5, 1, 2, 3.5, 5, 6, 6.9].map(
    (came) =>
      [`one large file after ${came} days`, (days: number) => (days < came ? 0.4 : 0.8), null] as const,
  ),
  ["a rise that began only now", (days) => 0.5 + Math.max(0, 0.1 * (days - 4)), null],
  ["a rise that ended", (days) => Math.min(0.9, 0.5 + 0.1 * days), null],
  ["a disk that was emptied", (days) => (days < 6 ? 0.5 + 0.07 * days : 0.5), null],
  ["a log that is thrown away each night", (days) => 0.5 + 0.1 * (days % 1), null],
  ["one that comes near its end before the mean", (days) => 0.5 + 0.03 * days + 0.2 * (days % 1), null],
  ["a rise that is faster each day: a line would say too many", (days) => 0.3 + 0.01 * days ** 2, null],
  ["less than three days", (days) => (days < 4.1 ? null : 0.62 + 0.05 * days), null],
  ["few readings", (days) => (Math.round(days * perDay) % 3 === 0 ? 0.62 + 0.02 * days : null), null],
  // The device says that itself.
  ["a disk that is full", (days) => 0.86 + (0.14 * days * perDay) / (7 * perDay - 1), null],
];

describe("the forecast of a disk", () => {
  for (const [name, share, left] of forecasts)
    it(`is ${left === null ? "not made" : `${left} days`} with ${name}`, () =>
      assert.equal(daysUntilFull(weekOf(share), 1_800), left));

  it("is not made of one reading or none", () => {
    assert.deepEqual([daysUntilFull([], 1_800), daysUntilFull([0.7], 1_800)], [null, null]);
  });
});

describe("the day of an extreme", () => {
  before(() => putTexts("en", { ...base, ...english }));

  it("is its weekday, and said otherwise where that would be this day's name", () => {
    const now = new Date(2026, 10, 27, 9, 0).getTime();
    const said = [0, 0.3, 0.4, 1.3, 1.4, 2, 6.3, 6.4, 7].map((days) => dayInWords(now - days * day, now));
    assert.deepEqual(said, [
      ...["today", "today", "yesterday", "yesterday", "on Wednesday", "on Wednesday", "on Saturday"],
      ...["7 days ago", "7 days ago"],
    ]);
  });

  it("is counted by the calendar where summer time ends", () => {
    // Europe's clocks go back on 25 October; other zones have 24 hours there.
    const now = new Date(2026, 9, 25, 23, 30).getTime();
    assert.equal(dayInWords(new Date(2026, 9, 24, 0, 10).getTime(), now), "yesterday");
  });
});
