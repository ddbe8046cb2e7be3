import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import * as base from "../../src/console/catalogue/languages/en/base.ts";
import * as records from "../../src/console/catalogue/languages/en/records.ts";
import { putTexts } from "../../src/console/catalogue/words.ts";
import { axisFor } from "../../src/console/plot/axis.ts";
import { bandPath, linePath } from "../../src/console/plot/path.ts";
import { agreedRange } from "../../src/console/system/clock/sources-picture.tsx";
import { dayInWords, marksOf } from "../../src/console/system/history/figure-words.ts";
import { daysUntilFull } from "../../src/console/system/history/forecast.ts";
import { faultsOf, happenedIn, isShownEvent, ticksOf } from "../../src/console/system/history/happenings.ts";
import {
  axisOf,
  bandsOf,
  gapsOf,
  inLife,
  type Series,
  seriesOf,
  stepAt,
  summaryOf,
  timeOf,
  worstStep,
} from "../../src/console/system/history/series.ts";
import { neededRange, placeOf, rangeOfSources } from "../../src/contract/clock/source-intervals.ts";
import type { AuditEvent, History, Need, TimeSource } from "../../src/contract/types.ts";

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

/** Rounded to nanoseconds, so that numbers that are not exact in binary can be written down. */
const rounded = <T extends object>(given: T): T =>
  JSON.parse(JSON.stringify(given), (_, value) =>
    typeof value === "number" ? Math.round(value * 1e9) / 1e9 || 0 : value,
  );

describe("the line and the band of a plot", () => {
  /** Ten milliseconds, and figures from −10 to 10. */
  const ends = { time: { low: 0, high: 10 }, axis: { low: -10, high: 10 } };
  type Point = readonly [at: number, value: number] | null;
  for (const [name, points, expected] of [
    [
      "from left to right, high at the top",
      [
        [0, 10],
        [5, 0],
        [10, -10],
      ],
      "M0.0,0.00 500.0,50.00 1000.0,100.00",
    ],
    [
      "interrupted by a gap, with a dot between two",
      [null, [1, 0], [2, 0], null, null, [5, 5], null],
      "M100.0,50.00 200.0,50.00M500.0,25.00h0",
    ],
    ["nothing of a gap", [null], ""],
    [
      "at the edge beyond the axis",
      [
        [0, 1e9],
        [4, 11],
        [10, -1e9],
      ],
      "M0.0,0.00 400.0,0.00 1000.0,100.00",
    ],
  ] as readonly (readonly [string, readonly Point[], string])[])
    it(`is ${name}`, () => {
      const found = linePath(
        points.map((point) => point && { at: point[0], value: point[1] }),
        ends,
      );
      assert.equal(found, expected);
    });

  it("is an area between two lines, one for each part between gaps", () => {
    const [one, other] = [
      { at: 0, low: -5, high: 5 },
      { at: 2, low: 0, high: 10 },
    ];
    assert.equal(
      bandPath([one, other, null, { at: 10, low: -10, high: -10 }], ends),
      "M0.0,25.00 200.0,0.00 200.0,50.00 0.0,75.00ZM1000.0,100.00 1000.0,100.00Z",
    );
  });
});

describe("the picture of the time sources", () => {
  type Told = readonly [TimeSource["state"], offset: number | null, uncertainty: number | null];
  const source = ([state, offset_seconds, uncertainty_seconds]: Told) =>
    ({ state, offset_seconds, uncertainty_seconds }) as TimeSource;
  /** RFC 5905 §11.2.1 has the intervals: one chosen, two that agree. */
  const three: readonly Told[] = [
    ["selected", 0.002, 0.008],
    ["candidate", -0.001, 0.006],
    ["candidate", 0.003, 0.002],
  ];
  for (const [name, told, range, agreed] of [
    // Lowest end −0.001 − 0.006, highest 0.002 + 0.008; greatest low end 0.003 − 0.002, least high end 0.003 + 0.002.
    ["three that vote and a far one", [...three, ["falseticker", 3, 0.01]], [-0.007, 0.01], [0.001, 0.005]],
    // 0.02 + 0.001 makes a span of 0.028, and 2.5 × 0.017 are 0.0425.
    ["a near false one", [...three, ["falseticker", 0.02, 0.001]], [-0.007, 0.021], [0.001, 0.005]],
    [
      ...([
        "this host's zero far from all",
        [
          ["selected", 600, 0.01],
          ["candidate", 600.005, 0.01],
        ],
      ] as const),
      ...[
        [599.99, 600.015],
        [599.995, 600.01],
      ],
    ],
    [
      "none that votes",
      [
        ["suspect", 1, 0.5],
        ["falseticker", -2, 0.5],
      ],
      [-2.5, 1.5],
      null,
    ],
    ["no answer", [["unreachable", null, null]], null, null],
    // The figures that were made of them.
    [
      "an outlier",
      [
        ["selected", 0, 0.001],
        ["outlier", 0.004, 0.001],
      ],
      [-0.001, 0.005],
      [-0.003, 0.007],
    ],
    [
      "none chosen",
      [
        ["candidate", 0, 0.001],
        ["candidate", 0.001, 0.001],
      ],
      [-0.001, 0.002],
      null,
    ],
    ["only one, near zero", [["selected", 0.003, 0.002]], [0, 0.005], [0.001, 0.005]],
  ] as readonly (readonly [string, readonly Told[], number[] | null, number[] | null])[])
    it(`has the range and the agreed interval of ${name}`, () => {
      const sources = told.map(source);
      const figures = { offset_seconds: 0.002, uncertainty_seconds: 0.005 };
      const ends = (area: { low: number; high: number } | null) => area && [area.low, area.high];
      const found = [ends(rangeOfSources(sources)), ends(agreedRange({ sources, ...figures }))];
      assert.deepEqual(rounded(found), [range, agreed]);
    });

  it("needs no range where nothing votes, and has an offset at its share of the axis", () => {
    assert.equal(neededRange([], [{ low: 0, high: 0 }]), null);
    assert.equal(placeOf({ low: -1, high: 3 }, 0), 0.25);
  });
});

/** Four steps of five minutes from 0 on. */
const steps = { start: 0, length: 5 * minute, count: 4 };

const series = (name: Series["name"], mean: Series["mean"], worst = mean): Series => ({
  ...{ name, mean, worst },
  uncertainty: name === "clock" ? mean.map((offset) => (offset === null ? null : 0.001)) : null,
});

describe("an axis", () => {
  const offsets = (wrong: number) => [...Array.from({ length: 99 }, () => 0.001), wrong];
  for (const [name, found, expected] of [
    // ±15 ms with 4 % of 30 ms at each end are ±16.2; a quarter of 32.4 is 8.1, so steps of 10.
    [
      "round ends with room beyond",
      axisFor({ low: -0.015, high: 0.015 }),
      { low: -0.02, high: 0.02, step: 0.01 },
    ],
    // 599.989 to 600.016 with its margin; a quarter of 0.027 is 0.00675.
    ["no need of zero", axisFor({ low: 599.99, high: 600.015 }), { low: 599.98, high: 600.02, step: 0.01 }],
    ["all of a share", axisOf(series("disk", [0.4, 0.41])), { low: 0, high: 1, step: 0.25 }],
    ["zero for a load", axisOf(series("load", [0.5, 0.6], [0.5, 3.4])), { low: 0, high: 4, step: 1 }],
    // 0 to 2 ms with its margin: the clock was wrong for less than four hundredths of the time.
    [
      "no room for what is rare",
      axisOf(series("clock", offsets(3))),
      { low: -0.001, high: 0.003, step: 0.001 },
    ],
  ] as const)
    it(`has ${name}`, () => assert.deepEqual(rounded(found), expected));

  it("has a width where the range has none, and all that is near or was for long", () => {
    for (const at of [0, 1e9]) {
      const { low, high } = axisFor({ low: at, high: at });
      assert.ok(low < at && high > at, `${low} to ${high}`);
    }
    assert.ok(axisOf(series("clock", offsets(0.003))).high >= 0.003, "it is near");
    const longer = [...offsets(3).slice(5), 3, 3, 3, 3, 3];
    assert.ok(axisOf(series("clock", longer)).high >= 3, "it was wrong for long");
  });

  it("of time ends with the step that is not over, and finds the step of a time", () => {
    assert.deepEqual(timeOf(steps), { low: 0, high: 25 * minute });
    const found = [-1, 0, 4.9, 5, 19, 24].map((minutes) => stepAt(steps, minutes * minute));
    assert.deepEqual(found, [0, 0, 0, 1, 3, 3]);
  });
});

describe("the series of a history", () => {
  it("are those that have a figure, the clock with its uncertainty", () => {
    const unknown = { mean: [null, null], worst: [null, null] };
    const known = { mean: [1, null], worst: [2, null] };
    const history: History = {
      ...{ start: "2026-11-20T00:00:00.000Z", step_seconds: 300 },
      series: {
        ...{ clock_offset_seconds: known, clock_uncertainty_seconds: { mean: [3, null], worst: [9, null] } },
        ...{ disk_used_ratio: known, memory_used_ratio: unknown, load: known, temperature_celsius: unknown },
      },
    };
    const found = seriesOf(history).map(({ name, uncertainty }) => [name, uncertainty]);
    assert.deepEqual(found, [
      ["clock", [3, null]],
      ["disk", null],
      ["load", null],
    ]);
  });

  it("have a band round each known figure, their worst farthest from zero, and one figure of several steps", () => {
    const band = { at: 2.5 * minute, low: 0.001, high: 0.003 };
    assert.deepEqual(rounded(bandsOf(series("clock", [0.002, null]), steps) ?? []), [band, null]);
    assert.deepEqual(bandsOf(series("load", [1]), steps), [null]);
    assert.equal(worstStep(series("clock", [0.1, -3, null, 2])), 1);
    assert.equal(worstStep(series("load", [null, 0.5, 0.5])), 1);
    const load = series("load", [1, null, 2, 9], [1.5, null, 4, 9]);
    assert.deepEqual(summaryOf(load, 0, 3), { mean: 1.5, worst: 4, uncertainty: null });
    assert.deepEqual(summaryOf(load, 1, 2), { mean: null, worst: null, uncertainty: null });
    assert.equal(summaryOf(series("clock", [-3, 1]), 0, 2).worst, -3);
  });

  it("have a gap where none of them is known", () => {
    const all = [series("load", [null, null, 1, null]), series("disk", [null, null, null, null])];
    const areas = (given: ReturnType<typeof gapsOf>) => given.map((one) => one && one.at / minute);
    // From the begin to the end of each step, so that two steps are one area.
    assert.deepEqual(areas(gapsOf(all, steps)), [0, 5, 5, 10, null, 15, 20]);
    const others = gapsOf([...all, series("memory", [0, 0, 0, 0])], steps);
    assert.deepEqual(areas(others), [null, null, null, null]);
  });
});

describe("the life of a device in its history", () => {
  const known = (...mean: (number | null)[]) => ({ mean, worst: mean });
  const none = known(null, null, null, null);
  for (const [name, load, temperature, expected] of [
    ["all steps where the first has a reading", known(1, null, 2, 3), none, "00:00 1,,2,3"],
    [
      "from the first reading of any figure on, with its gaps",
      known(null, null, null, 3),
      known(null, 40, null, 41),
      "00:05 ,,3",
    ],
    ["the last step where nothing was read", none, none, "00:15 "],
  ] as const)
    it(`is ${name}`, () => {
      const start = "2026-11-21T00:00:00.000Z";
      const series = { load, temperature_celsius: temperature } as History["series"];
      const life = inLife({ start, step_seconds: 300, series });
      assert.equal(`${life.start.slice(11, 16)} ${life.series.load.mean}`, expected);
      assert.deepEqual(life.series.load.worst, life.series.load.mean);
      assert.equal(life.series.temperature_celsius.mean.length, life.series.load.mean.length);
    });
});

describe("the marks of the time's axis", () => {
  const zone = process.env.TZ;
  before(() => {
    putTexts("de", {});
    process.env.TZ = "Europe/Berlin";
  });
  after(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });

  for (const [name, to, hours, expected] of [
    // Summer time ended on October 25th, 2026, a day of 25 hours.
    ["midnights of several days, by the calendar", "2026-10-27T12:00:00Z", 72, ["So 25", "Mo 26", "Di 27"]],
    [
      ...(["every fourth hour of a day, with the day at midnight", "2026-11-21T20:30:00Z", 24] as const),
      ["Sa", "04:00", "08:00", "12:00", "16:00", "20:00"],
    ],
    [
      ...(["minutes of a device that has just begun", "2026-11-21T20:31:00Z", 1 / 6] as const),
      ["21:25", "21:30"],
    ],
    ["hours of its first afternoon", "2026-11-21T16:10:00Z", 3, ["15:00", "16:00", "17:00"]],
  ] as const)
    it(`are the ${name}`, () => {
      const high = Date.parse(to);
      const marks = marksOf({ low: high - hours * hour, high });
      const texts = marks.map(({ text, more }) => (hours > 24 ? text + more : text));
      assert.deepEqual(texts, expected);
      const times = marks.map(({ at }) => new Date(at).toLocaleTimeString("sv"));
      for (const time of times) assert.match(time, hours < 1 ? /^\d\d:\d[05]:00$/ : /^\d\d:00:00$/);
      if (hours > 24) for (const { at } of marks) assert.equal(new Date(at).getHours(), 0);
    });
});

describe("events of a history", () => {
  before(() => putTexts("en", base));

  let seq = 0;
  const event = (hours: number, type: string, details: object = {}) => {
    seq += 1;
    const facts = { actor: { kind: "agent", name: null }, subject: null, code: null, count: 1 };
    return { ...facts, seq, time: new Date(hours * hour).toISOString(), type, details } as AuditEvent;
  };
  const disk = { need: "disk", level: "failing", reason: "disk_space_low" };
  const clock = { need: "clock", level: "attention", word: "not_in_sync", trust: "trusted" };
  const need = (code: Need["code"], level: Need["level"], facts: object) =>
    ({ code, level, facts, detail: "", remedy: null }) as Need;
  const failing = need("disk", "failing", { reason: "disk_space_low" });
  const time = { low: 10 * hour, high: 20 * hour };

  for (const [name, events, needs, expected] of [
    [
      "when something began to need attention and when it no longer did, the failing first",
      [
        ...[event(11, "need.began", clock), event(12, "need.began", disk)],
        ...[event(13, "need.ended", clock), event(15, "need.began", clock)],
      ],
      [],
      ["The disk needs space failing 12-Infinity", "The clock is not in sync attention 11-13 15-Infinity"],
    ],
    [
      "a fault from before the time",
      [event(3, "need.began", disk)],
      [],
      ["The disk needs space failing 3-Infinity"],
    ],
    [
      "one of unknown begin",
      [event(11, "need.ended", disk)],
      [],
      ["The disk needs space failing -Infinity-11"],
    ],
    ["none that was over before", [event(3, "need.began", disk), event(4, "need.ended", disk)], [], []],
    [
      ...(["of present needs only failing ones", []] as const),
      ...[[failing, need("device_unnamed", "attention", { hostname: "edge" })]],
      ["The disk needs space failing -Infinity-Infinity"],
    ],
    // It is the same one.
    ["a need once", [event(11, "need.began", disk)], [failing], ["The disk needs space failing 11-Infinity"]],
  ] as readonly (readonly [string, readonly AuditEvent[], readonly Need[], readonly string[]])[])
    it(`say ${name}`, () => {
      const found = faultsOf(events, needs, time).map(({ title, level, spans }) =>
        [title, level, ...spans.map(({ low, high }) => `${low / hour}-${high / hour}`)].join(" "),
      );
      assert.deepEqual(found, expected);
    });

  it("are ticks in a row for each kind, without what is before the time, and sentences of a time, the newest first", () => {
    const events = [
      ...[event(9, "clock.stepped"), event(11, "clock.stepped"), event(12, "user.created")],
      ...[event(13, "update.undone"), event(14, "sign_in.refused"), event(15, "host.reboot_requested")],
    ];
    const ticks = ticksOf(events, time).map(([row, all]) =>
      [row, ...all.map(({ time }) => Date.parse(time) / hour)].join(" "),
    );
    assert.deepEqual(ticks, ["updates 13", "restarts 15", "refused 14", "clock 11"]);
    // An event that is no tick is not named.
    const named = events.filter(isShownEvent).map(({ type }) => type);
    assert.deepEqual(
      named,
      events.map(({ type }) => type).filter((type) => type !== "user.created"),
    );
    const near = happenedIn(events, { low: 12.5 * hour, high: 14 * hour });
    const untimed = near.map((one) => one.replace(/^\d?\d:00(.[AP]M)? /, ""));
    assert.deepEqual(untimed, ["A sign-in was refused", " was undone"]);
  });
});

describe("the forecast of a disk", () => {
  /** Steps of half an hour in a day. */
  const perDay = 48;
  type Share = (days: number) => number | null;
  const steady: Share = (days) => 0.62 + 0.02 * days;
  /** A week in half hours, by the days since its begin. */
  const weekOf = (share: Share) => Array.from({ length: 7 * perDay }, (_, step) => share(step / perDay));
  /** Without a visible period, within ±1. */
  const noise = (days: number): number => Math.sin(days * 977) * Math.sin(days * 353);

  // The rest over the rise of a day, where the rise is steady: 62 % and 2 % a day leave 24 % after a week. null: none is made.
  for (const [name, share, left] of [
    ["a steady rise", steady, 12],
    ["a rise with noise", (days) => 0.62 + 0.02 * days + 0.005 * noise(days), 12],
    ["a rise to 99.7 %", (days) => 0.85 + 0.021 * days, 1],
    ["a copy each night", (days) => 0.62 + 0.02 * Math.floor(days + 0.5), 12],
    ["days with a gap", (days) => (days > 1.5 && days < 3 ? null : steady(days)), 12],
    ["the least of days", (days) => (days < 3.9 ? null : steady(days)), 12],
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
    ["a rise that is faster each day", (days) => 0.3 + 0.01 * days ** 2, null],
    ["less than three days", (days) => (days < 4.1 ? null : 0.62 + 0.05 * days), null],
    ["few readings", (days) => (Math.round(days * perDay) % 3 === 0 ? steady(days) : null), null],
    // The device says that itself.
    ["a disk that is full", (days) => 0.86 + (0.14 * days * perDay) / (7 * perDay - 1), null],
  ] as readonly (readonly [string, Share, number | null])[])
    it(`is ${left === null ? "not made" : `${left} days`} with ${name}`, () =>
      assert.equal(daysUntilFull(weekOf(share), 1_800), left));

  it("is not made of one reading or none", () => {
    assert.deepEqual([daysUntilFull([], 1_800), daysUntilFull([0.7], 1_800)], [null, null]);
  });
});

it("the day of an extreme is its weekday, by the calendar, and said otherwise where that would be this day's name", () => {
  putTexts("en", { ...base, ...records });
  const now = new Date(2026, 10, 27, 9, 0).getTime();
  const said = [0, 0.3, 0.4, 1.3, 1.4, 2, 6.3, 6.4, 7].map((days) => dayInWords(now - days * day, now));
  assert.deepEqual(said, [
    ...["today", "today", "yesterday", "yesterday", "on Wednesday", "on Wednesday", "on Saturday"],
    ...["7 days ago", "7 days ago"],
  ]);
  // Europe's clocks go back on 25 October; other zones have 24 hours there.
  const night = new Date(2026, 9, 25, 23, 30).getTime();
  assert.equal(dayInWords(new Date(2026, 9, 24, 0, 10).getTime(), night), "yesterday");
});
