import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { duration } from "../../src/contract/shapes.ts";
import { durationSeconds } from "../../src/settings/durations.ts";

describe("a duration", () => {
  const good: [string, number][] = [
    ["90s", 90],
    ["30m", 1_800],
    ["6h", 21_600],
    ["1h30m", 5_400],
    ["7d", 604_800],
    ["1d2h3m4s", 93_784],
    ["0s", 0],
  ];
  for (const [text, seconds] of good) {
    it(`of ${text} is ${seconds} seconds`, () => assert.equal(durationSeconds(text), seconds));
  }

  for (const text of [
    "",
    "6",
    "h",
    "6 h",
    "-6h",
    "1.5h",
    "6H",
    "30m1h",
    "6h6h",
    "1w",
    "9999999999s",
    "6h\n",
  ]) {
    it(`of the form ${JSON.stringify(text)} is refused, here and by the contract`, () => {
      assert.throws(() => durationSeconds(text), RangeError);
      assert.doesNotMatch(text, new RegExp(duration.pattern, "u"));
    });
  }
});
