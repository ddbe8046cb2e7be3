import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import * as base from "../../src/console/catalogue/languages/en/base.ts";
import * as english from "../../src/console/catalogue/languages/en/history.ts";
import { putTexts } from "../../src/console/catalogue/words.ts";
import { dayInWords } from "../../src/console/system/history/figure-words.ts";
import { daysUntilFull } from "../../src/console/system/history/forecast.ts";

const day = 86_400_000;

/** Steps of half an hour in a day. */
const perDay = 48;

/** A week in half hours, by the days since its begin. */
const weekOf = (share: (days: number) => number | null): (number | null)[] =>
  Array.from({ length: 7 * perDay }, (_, step) => share(step / perDay));

const forecast = (share: (days: number) => number | null) => daysUntilFull(weekOf(share), 1_800);

/** Without a visible period, within ±1. */
const noise = (days: number): number => Math.sin(days * 977) * Math.sin(days * 353);

describe("the forecast of a disk", () => {
  it("is the rest over the rise of a day, where the rise is steady", () => {
    // 62 % and 2 % a day: 76 % after seven days, and 24 % are left.
    assert.equal(
      forecast((days) => 0.62 + 0.02 * days),
      12,
    );
    assert.equal(
      forecast((days) => 0.62 + 0.02 * days + 0.005 * noise(days)),
      12,
    );
    assert.equal(
      forecast((days) => 0.85 + 0.021 * days),
      1,
      "the last is 99.7 %",
    );
  });

  it("is made of days with a night's copy each, of days with gaps, and of the least of days", () => {
    const copies = forecast((days) => 0.62 + 0.02 * Math.floor(days + 0.5));
    assert.ok(copies !== null && copies >= 11 && copies <= 13, `${copies}`);
    assert.equal(
      forecast((days) => (days > 1.5 && days < 3 ? null : 0.62 + 0.02 * days)),
      12,
    );
    assert.equal(
      forecast((days) => (days < 3.9 ? null : 0.62 + 0.02 * days)),
      12,
    );
  });

  it("is not made where nothing rises, falls, or would be full only after months", () => {
    for (const rise of [0, -0.02, 0.005])
      assert.equal(
        forecast((days) => 0.7 + rise * days),
        null,
        `${rise}`,
      );
    assert.equal(
      forecast((days) => 0.7 + 0.02 * noise(days)),
      null,
    );
    assert.equal(
      forecast(() => null),
      null,
    );
    assert.deepEqual([daysUntilFull([], 1_800), daysUntilFull([0.7], 1_800)], [null, null]);
  });

  it("is not made of one large file, whenever it came", () => {
    for (const came of [0.5, 1, 2, 3.5, 5, 6, 6.9])
      assert.equal(
        forecast((days) => (days < came ? 0.4 : 0.8)),
        null,
        `after ${came} days`,
      );
  });

  it("is not made of a rise that began only now, that ended, or after which the disk was emptied", () => {
    assert.equal(
      forecast((days) => 0.5 + Math.max(0, 0.1 * (days - 4))),
      null,
    );
    assert.equal(
      forecast((days) => Math.min(0.9, 0.5 + 0.1 * days)),
      null,
    );
    assert.equal(
      forecast((days) => (days < 6 ? 0.5 + 0.07 * days : 0.5)),
      null,
    );
    assert.equal(
      forecast((days) => 0.5 + 0.1 * (days % 1)),
      null,
      "a log that is thrown away each night",
    );
    assert.equal(
      forecast((days) => 0.5 + 0.03 * days + 0.2 * (days % 1)),
      null,
      "one that comes near its end before the mean does",
    );
    assert.equal(
      forecast((days) => 0.3 + 0.01 * days ** 2),
      null,
      "faster each day: a straight line would say too many days",
    );
  });

  it("is not made of less than three days, or of a few readings", () => {
    assert.equal(
      forecast((days) => (days < 4.1 ? null : 0.62 + 0.05 * days)),
      null,
    );
    assert.equal(
      forecast((days) => (Math.round(days * perDay) % 3 === 0 ? 0.62 + 0.02 * days : null)),
      null,
    );
  });

  it("is not made of a disk that is full: the device says that itself", () => {
    assert.equal(
      forecast((days) => 0.86 + (0.14 * days * perDay) / (7 * perDay - 1)),
      null,
    );
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
