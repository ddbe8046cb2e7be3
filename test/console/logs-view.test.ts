import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  advanced,
  arrived,
  mostShown,
  mostWaiting,
  opened,
  withOlder,
} from "../../src/console/system/logs/log-view.ts";
import { brief, visible, visibleLines } from "../../src/console/ui/visible.ts";
import type { LogEntry } from "../../src/contract/types.ts";

const line = (number: number): LogEntry => ({
  time: "2026-11-20T10:00:00.000Z",
  unit: "steward.service",
  identifier: "steward",
  priority: "info",
  message: String(number),
  pid: null,
  audit: false,
  members: null,
  cursor: `c${number}`,
});
const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => line(from + index));
const numbers = (entries: readonly LogEntry[]) => entries.map(({ message }) => Number(message));
const first = opened({ items: lines(1, 3).reverse(), total: null, next_cursor: null, source: "agent" });

describe("the part of the log that is shown", () => {
  it("is the newest at the end, and at most ten thousand lines, before which older ones can be read", () => {
    const view = arrived(first, lines(4, 10_500));
    assert.equal(mostShown, 10_000);
    assert.deepEqual(numbers(view.lines), numbers(lines(501, 10_500)));
    assert.equal(view.olderCursor, "c501");
  });

  it("takes a line once, however often it is sent", () => {
    assert.deepEqual(numbers(arrived(first, lines(2, 4)).lines), [1, 2, 3, 4]);
  });

  it("keeps what comes while it is paused, counts it, and shows all of it afterwards", () => {
    const paused = arrived({ ...first, pausedBy: "button" }, lines(4, 40));
    assert.deepEqual(numbers(paused.lines), [1, 2, 3]);
    assert.equal(paused.unseen, 37);
    const again = advanced(paused, Number.POSITIVE_INFINITY);
    assert.deepEqual(numbers(again.lines), numbers(lines(1, 40)));
    assert.deepEqual([again.unseen, again.pausedBy], [0, null]);
  });

  it("keeps five thousand lines at most, says how many it dropped, and shows no hole", () => {
    const paused = arrived({ ...first, pausedBy: "button" }, lines(4, 6_003));
    assert.equal(mostWaiting, 5_000);
    assert.deepEqual([paused.waiting.length, paused.unseen, paused.dropped], [5_000, 6_000, 1_000]);
    for (const count of [200, Number.POSITIVE_INFINITY]) {
      const again = advanced(paused, count);
      assert.deepEqual(numbers(again.lines), numbers(lines(1_004, Math.min(1_003 + count, 6_003))));
      assert.deepEqual([again.olderCursor, again.dropped], ["c1004", 0]);
    }
    const older = withOlder(paused, {
      items: lines(-9_999, 0),
      total: null,
      next_cursor: null,
      source: "agent",
    });
    assert.deepEqual(numbers(older.waiting), numbers(lines(1_004, 6_003)), "there is a hole before them");
  });

  it("lets the newest wait where older lines take their place, and gives them back in order", () => {
    const full = arrived(first, lines(4, 10_200));
    const page = { items: lines(1, 200).reverse(), total: null, next_cursor: null, source: "agent" } as const;
    const back = withOlder(full, page);
    assert.deepEqual(numbers(back.lines), numbers(lines(1, 10_000)));
    assert.deepEqual([back.pausedBy, back.olderCursor, back.unseen], ["scroll", null, 0]);
    const step = advanced(back, 150);
    assert.deepEqual(numbers(step.lines), numbers(lines(151, 10_150)));
    assert.equal(step.pausedBy, "scroll");
    assert.deepEqual(numbers(advanced(step, 150).lines), numbers(lines(201, 10_200)));
    assert.equal(advanced(step, 150).pausedBy, null);
  });
});

describe("a text from outside", () => {
  // RFC 9839 and Unicode TR 9 name them: C0, DEL, C1, bidirectional controls, separators.
  const cases: [given: string, shown: string][] = [
    ["plain Ünïcode 漢字 🙂", "plain Ünïcode 漢字 🙂"],
    ["\u001b[31mred", "\\x1b[31mred"],
    ["\u0000\u0007\u007f\u009b", "\\x00\\x07\\x7f\\x9b"],
    ["a\r\nb\tc", "a\\x0d\\x0ab\\x09c"],
    ["\u202egnp.exe\u2066", "\\x{202e}gnp.exe\\x{2066}"],
    ["\u061c\u200e\u200f\u2028\u2029", "\\x{061c}\\x{200e}\\x{200f}\\x{2028}\\x{2029}"],
    ["<script>", "<script>"],
  ];
  for (const [given, shown] of cases) {
    it(`is shown without what could deceive: ${shown}`, () => assert.equal(visible(given), shown));
  }

  it("is cut in its middle where it is to stay on one line, and is as safe there", () => {
    assert.equal(brief("2026.11.20-rc.12"), "2026.11.20-rc.12");
    assert.equal(brief(`2026.11.20+${"7".repeat(50)}.x86_64`), "2026.11.2…\u2060x86_64");
    assert.equal(brief("\u202e".repeat(20)), "\\x{202e}\\…\u2060{202e}");
  });

  it("keeps its line feeds where it has lines", () => {
    assert.equal(visibleLines("a\u001b\nb"), "a\\x1b\nb");
  });
});
