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

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => {
    const number = from + index;
    return { message: String(number), cursor: `c${number}` } as LogEntry;
  });
/** A page, the newest first, behind which there is none. */
const pageOf = (from: number, to: number) =>
  ({ items: lines(from, to).reverse(), total: null, next_cursor: null, source: "agent" }) as const;
const assertLines = (entries: readonly LogEntry[], from: number, to: number) =>
  assert.deepEqual(
    entries.map(({ cursor }) => cursor),
    lines(from, to).map(({ cursor }) => cursor),
  );

const first = opened(pageOf(1, 3));
const stopped = { ...first, pausedBy: "button" } as const;
const [all, most] = [Number.POSITIVE_INFINITY, { shown: 10_000, waiting: 5_000 }];

describe("the part of the log that is shown", () => {
  it("is the newest at the end, each once, and at most ten thousand lines, before which older ones can be read", () => {
    assert.deepEqual({ shown: mostShown, waiting: mostWaiting }, most);
    const view = arrived(first, lines(4, 10_500));
    assertLines(view.lines, 501, 10_500);
    assert.equal(view.olderCursor, "c501");
    assertLines(arrived(first, lines(2, 4)).lines, 1, 4);
  });

  it("keeps what comes while it is paused, counts it, and shows all of it afterwards", () => {
    const paused = arrived(stopped, lines(4, 40));
    assertLines(paused.lines, 1, 3);
    assert.equal(paused.unseen, 37);
    const again = advanced(paused, all);
    assertLines(again.lines, 1, 40);
    assert.deepEqual([again.unseen, again.pausedBy], [0, null]);
  });

  it("keeps five thousand lines at most, says how many it dropped, and shows no hole", () => {
    const paused = arrived(stopped, lines(4, 6_003));
    assert.deepEqual([paused.waiting.length, paused.unseen, paused.dropped], [5_000, 6_000, 1_000]);
    for (const count of [200, all]) {
      const again = advanced(paused, count);
      assertLines(again.lines, 1_004, Math.min(1_003 + count, 6_003));
      assert.deepEqual([again.olderCursor, again.dropped], ["c1004", 0]);
    }
    const older = { ...pageOf(-9_999, 0), items: lines(-9_999, 0) };
    assertLines(withOlder(paused, older).waiting, 1_004, 6_003);
  });

  it("lets the newest wait where older lines take their place, and gives them back in order", () => {
    const back = withOlder(arrived(first, lines(4, 10_200)), pageOf(1, 200));
    assertLines(back.lines, 1, 10_000);
    assert.deepEqual([back.pausedBy, back.olderCursor, back.unseen], ["scroll", null, 0]);
    const step = advanced(back, 150);
    assertLines(step.lines, 151, 10_150);
    assert.equal(step.pausedBy, "scroll");
    const last = advanced(step, 150);
    assertLines(last.lines, 201, 10_200);
    assert.equal(last.pausedBy, null);
  });
});

describe("a text from outside", () => {
  // RFC 9839 and Unicode TR 9 name them: C0, DEL, C1, bidirectional controls, separators.
  for (const [given, shown] of [
    ["plain Ünïcode 漢字 🙂", "plain Ünïcode 漢字 🙂"],
    ["\u001b[31mred", "\\x1b[31mred"],
    ["\u0000\u0007\u007f\u009b", "\\x00\\x07\\x7f\\x9b"],
    ["a\r\nb\tc", "a\\x0d\\x0ab\\x09c"],
    ["\u202egnp.exe\u2066", "\\x{202e}gnp.exe\\x{2066}"],
    ["\u061c\u200e\u200f\u2028\u2029", "\\x{061c}\\x{200e}\\x{200f}\\x{2028}\\x{2029}"],
    ["<script>", "<script>"],
  ] as const)
    it(`is shown without what could deceive: ${shown}`, () => assert.equal(visible(given), shown));

  it("is cut in its middle where it is to stay on one line, as safely, and keeps its line feeds where it has lines", () => {
    for (const [given, shown] of [
      ["2026.11.20-rc.12", "2026.11.20-rc.12"],
      [`2026.11.20+${"7".repeat(50)}.x86_64`, "2026.11.2…\u2060x86_64"],
      ["\u202e".repeat(20), "\\x{202e}\\…\u2060{202e}"],
    ] as const)
      assert.equal(brief(given), shown);
    assert.equal(visibleLines("a\u001b\nb"), "a\\x1b\nb");
  });
});
