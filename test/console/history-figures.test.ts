import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import * as base from "../../src/console/catalogue/languages/en/base.ts";
import { putTexts } from "../../src/console/catalogue/words.ts";
import { marksOf } from "../../src/console/system/history/figure-words.ts";
import { faultsOf, happenedIn, isShownEvent, ticksOf } from "../../src/console/system/history/happenings.ts";
import {
  axisOf,
  bandsOf,
  gapsOf,
  type Series,
  seriesOf,
  stepAt,
  summaryOf,
  timeOf,
  worstStep,
} from "../../src/console/system/history/series.ts";
import type { AuditEvent, History, Need } from "../../src/contract/types.ts";

const minute = 60_000;
const hour = 60 * minute;

/** Four steps of five minutes from 0 on. */
const steps = { start: 0, length: 5 * minute, count: 4 };

const series = (name: Series["name"], mean: Series["mean"], worst = mean): Series => ({
  ...{ name, mean, worst },
  uncertainty: name === "clock" ? mean.map((offset) => (offset === null ? null : 0.001)) : null,
});

/** Rounded to nanoseconds, so that numbers that are not exact in binary can be written down. */
const rounded = (given: object): object =>
  JSON.parse(JSON.stringify(given), (_, value) =>
    typeof value === "number" ? Math.round(value * 1e9) / 1e9 || 0 : value,
  );

describe("the series of a history", () => {
  const unknown = { mean: [null, null], worst: [null, null] };
  const known = { mean: [1, null], worst: [2, null] };

  it("are those that have a figure, the clock with its uncertainty", () => {
    const history: History = {
      ...{ start: "2026-11-20T00:00:00.000Z", step_seconds: 300 },
      series: {
        ...{ clock_offset_seconds: known, clock_uncertainty_seconds: { mean: [3, null], worst: [9, null] } },
        ...{ disk_used_ratio: known, memory_used_ratio: unknown, load: known, temperature_celsius: unknown },
      },
    };
    assert.deepEqual(
      seriesOf(history).map(({ name, uncertainty }) => [name, uncertainty]),
      [
        ["clock", [3, null]],
        ["disk", null],
        ["load", null],
      ],
    );
  });

  it("have a band round each known figure", () => {
    assert.deepEqual(rounded(bandsOf(series("clock", [0.002, null]), steps) ?? []), [
      { at: 2.5 * minute, low: 0.001, high: 0.003 },
      null,
    ]);
    assert.deepEqual(bandsOf(series("load", [1]), steps), [null]);
  });

  it("have their worst where the figure is farthest from zero, on either side", () => {
    assert.equal(worstStep(series("clock", [0.1, -3, null, 2])), 1);
    assert.equal(worstStep(series("load", [null, 0.5, 0.5])), 1);
  });

  it("are one figure of several steps: the mean of what is known, and the worst", () => {
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

describe("the axis of a plot", () => {
  it("is all of a share, and begins at zero for a load", () => {
    assert.deepEqual(axisOf(series("disk", [0.4, 0.41])), { low: 0, high: 1, step: 0.25 });
    const { low, high } = axisOf(series("load", [0.5, 0.6], [0.5, 3.4]));
    assert.deepEqual([low, high], [0, 4]);
  });

  it("leaves out what a clock was wrong by for less than four hundredths of the time, unless that is near", () => {
    const offsets = (wrong: number) => [...Array.from({ length: 99 }, () => 0.001), wrong];
    // 0 to 2 ms with its margin.
    assert.deepEqual(rounded(axisOf(series("clock", offsets(3)))), { low: -0.001, high: 0.003, step: 0.001 });
    assert.ok(axisOf(series("clock", offsets(0.003))).high >= 0.003, "it is near");
    const longer = [...offsets(3).slice(5), 3, 3, 3, 3, 3];
    assert.ok(axisOf(series("clock", longer)).high >= 3, "it was wrong for long");
  });

  it("of time ends with the step that is not over, and finds the step of a time", () => {
    assert.deepEqual(timeOf(steps), { low: 0, high: 25 * minute });
    assert.deepEqual(
      [-1, 0, 4.9, 5, 19, 24].map((minutes) => stepAt(steps, minutes * minute)),
      [0, 0, 0, 1, 3, 3],
    );
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

  it("are the midnights of several days, by the calendar, also where summer time ends", () => {
    // Summer time ended on October 25th, 2026, a day of 25 hours.
    const high = Date.parse("2026-10-27T12:00:00Z");
    const marks = marksOf({ low: high - 3 * 24 * hour, high });
    assert.deepEqual(
      marks.map(({ at }) => new Date(at).toISOString()),
      ["2026-10-24T22:00:00.000Z", "2026-10-25T23:00:00.000Z", "2026-10-26T23:00:00.000Z"],
    );
    assert.deepEqual(
      marks.map(({ text, more }) => text + more),
      ["So 25", "Mo 26", "Di 27"],
    );
  });

  it("are every fourth hour of a day, with the day at midnight", () => {
    const low = Date.parse("2026-11-20T20:30:00Z");
    const texts = marksOf({ low, high: low + 24 * hour }).map(({ text }) => text);
    assert.deepEqual(texts, ["Sa", "04:00", "08:00", "12:00", "16:00", "20:00"]);
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
  const time = { low: 10 * hour, high: 20 * hour };

  it("say when something began to need attention and when it no longer did", () => {
    const events = [
      event(11, "need.began", clock),
      event(12, "need.began", disk),
      event(13, "need.ended", clock),
      event(15, "need.began", clock),
    ];
    assert.deepEqual(faultsOf(events, [], time), [
      { title: "The disk needs space", level: "failing", spans: [{ low: 12 * hour, high: Infinity }] },
      {
        title: "The clock is not in sync",
        level: "attention",
        spans: [
          { low: 11 * hour, high: 13 * hour },
          { low: 15 * hour, high: Infinity },
        ],
      },
    ]);
  });

  it("have a fault that began before the time, or before what is known, in the time all the same", () => {
    const spansOf = (events: readonly AuditEvent[], needs: readonly Need[] = []) =>
      faultsOf(events, needs, time).map(({ spans }) => spans);
    assert.deepEqual(spansOf([event(3, "need.began", disk)]), [[{ low: 3 * hour, high: Infinity }]]);
    assert.deepEqual(spansOf([event(11, "need.ended", disk)]), [[{ low: -Infinity, high: 11 * hour }]]);
    const over = [event(3, "need.began", disk), event(4, "need.ended", disk)];
    assert.deepEqual(spansOf(over), []);
    const need = { detail: "", remedy: null } as const;
    const failing: Need = { ...need, code: "disk", level: "failing", facts: { reason: "disk_space_low" } };
    const advice: Need = { ...need, code: "device_unnamed", level: "attention", facts: { hostname: "edge" } };
    assert.deepEqual(spansOf([], [failing, advice]), [[{ low: -Infinity, high: Infinity }]]);
    const begun = spansOf([event(11, "need.began", disk)], [failing]);
    assert.deepEqual(begun, [[{ low: 11 * hour, high: Infinity }]], "it is the same one");
  });

  it("are ticks in a row for each kind, without what is before the time", () => {
    const events = [
      event(9, "clock.stepped"),
      event(11, "clock.stepped"),
      event(12, "user.created"),
      event(13, "update.undone"),
      event(14, "sign_in.refused"),
      event(15, "host.reboot_requested"),
    ];
    assert.deepEqual(
      ticksOf(events, time).map(([row, ticks]) => [row, ticks.map(({ time }) => Date.parse(time) / hour)]),
      [
        ["updates", [13]],
        ["restarts", [15]],
        ["refused", [14]],
        ["clock", [11]],
      ],
    );
    assert.deepEqual(
      events.filter(isShownEvent).map(({ type }) => type),
      ["clock.stepped", "clock.stepped", "update.undone", "sign_in.refused", "host.reboot_requested"],
      "an event that is no tick is not named",
    );
    const near = happenedIn(events, { low: 12.5 * hour, high: 14 * hour });
    assert.deepEqual(near, ["A sign-in was refused", " was undone"], "the newest is first");
  });
});
